// Thresholds of comparisons: what is reported about a change, and what counts as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

// What amounts are divided by.
enum class Per : uint8_t {
  kSecond,   // of the recording
  kCpu,      // second of CPU time
  kRequest,  // request that was served; see Model
  kNothing,
};

// What chance does (significance.h).
struct ChanceRules {
  // Standard errors of two amounts, as shares of them: below, their ratio is what is tested.
  double well_known = 0.25;
  // Of a slice with the next one; beyond, slices say nothing of how the next recording will be.
  double most_correlation = 0.85;
  // What is known of programs beforehand: the standard error of a recording's mean, as a share of
  // it, and how many parts of a recording that is worth.
  double usual_variability = 0.3;
  double usual_freedom = 4;
};

// How changes of one signal are reported, each once (changes.h).
struct ChangeRules {
  // Rows that explain a change as well as the best one: this share of its significance, and of its
  // change. If the best one is the whole, the other two limits apply.
  double equally_good = 0.9;
  double most_of_whole = 0.75;
  double as_sure_as_whole = 0.5;
  // A row's amounts have moved if, with what moved the other way around it, less than this is left
  // of the change; or less than the second, and that may be chance.
  double outweighed = 0.3;
  double partly_outweighed = 0.6;
  // Standard errors, of what moved: in code around, and in the very code that may hold a method. A
  // common factor is sure by the first, too.
  double sure_move = 3;
  double likely_move = 2;
  // Of a method's amount in the other recording: with so little, its caller may have the rest
  // inside.
  double as_good_as_gone = 0.1;
  bool IsInOneAlone(double before, double after) const {
    return std::min(before, after) <= as_good_as_gone * std::max(before, after);
  }
  int most_reach = 3;  // callers that a method's time may have moved to
  // A burst: by so much more, and so many standard errors of sampling.
  double burst_factor = 3;
  double sure_sampling = 5;
  // Of one signal.
  size_t most_changes = 64;
  size_t most_bursts = 2;
  // For the factor that most rows have in common: the error of the ratios that are looked at, how
  // many there must be, and of how many it may be the mean.
  double known_ratio = 0.25;
  size_t fewest_ratios = 3;
  size_t most_candidates = 64;
  // Ratios agree within so many standard errors. A factor is the common one if more than this share
  // of all agree with it, and these are more than so many times those that agree with no change; or
  // if no more than the last share of them agree with no change alone.
  double agreement = 2;
  double most_agree = 0.5;
  double told_by_each = 1.5;
  double against_all = 0.25;
  ChanceRules chance = {};
};

// What counts as all of a process, to weigh signals against each other (Difference::impact).
struct WeightRules {
  double busy_cores = 1;
  double busy_bytes = 100e6;      // allocated a second
  double busy_throws = 100;       // a second
  double half_the_threads = 100;  // so many started threads weigh half
  double busy_requests = 10;      // a second
  double failing = 0.2;           // share of a route's requests
  double state = 0.5;             // what is the case at the end of one recording, at least
};

struct ComparisonRules {
  Per per = Per::kSecond;
  uint64_t many_requests = 100;  // with this many in both, amounts are divided by them by default
  double confidence = 0.99;  // below it a difference is noise; corrected for how many are looked at
  double min_change = 0.10;  // of what it was
  double min_share = 0.01;   // of the whole
  // Likewise, for code of others that nothing of yours calls, and for parts of the heap.
  double min_share_of_others = 0.1;
  double min_share_of_allocations = 0.05;
  // A method of other code with this share of a method's CPU time is named.
  double much_of_callee = 0.7;
  double min_share_of_heap = 0.05;
  // What only the framework holds in a heap, its buffers and connections, comes with the load.
  double min_share_of_frameworks_heap = 0.5;
  // A factor that all rows of a signal have in common is mentioned from noted_factor on, and is a
  // difference from common_factor on, unless another signal changed as much (within load_factor):
  // then it is the load.
  double noted_factor = 1.1;
  double common_factor = 1.5;
  double load_factor = 1.25;
  // The length of a wait also depends on the scheduler: smaller changes are ignored.
  double min_change_of_waits = 0.4;
  // The same for the duration of a request; min_change, if that is more. Smaller changes of the
  // mean (ns) and of the share that fails are ignored, and so are routes with fewer requests.
  double min_change_of_requests = 0.25;
  double min_request_ns = 200'000;
  double min_failures = 0.005;
  uint64_t few_requests = 20;
  // On average: threads that wait; share of the time in pauses; started threads a second.
  double min_waiting = 0.05;
  double min_pauses = 0.005;
  double min_started_threads = 0.2;
  // Growth of the framework's own objects (other than in arrays) by fewer is ignored.
  uint64_t few_of_framework = 10;
  // A type with this share of an allocating method's change is named with it.
  double most_of_change = 0.5;
  // Compilation time that is mentioned: cores, and the factor to the other recording.
  double much_compiling = 0.05;
  double compiling_factor = 2;
  // A recording of fewer seconds is reported as short: its slices are moments.
  double short_seconds = 2;
  // Threads share processors and locks, so longer waits for one thing delay others, too: other
  // waits with less than this share of the time are not a separate cause.
  double held_up = 0.1;
  size_t most_consequences = 3;  // in the evidence of a cause
  // What is found by its presence is not tested: in one snapshot, which is one moment, and else.
  double confidence_of_snapshot = 0.95;
  double confidence_of_finding = 0.99;
  WeightRules weights = {};
  ChangeRules changes = {};
};

}  // namespace hindsight::analyzer
