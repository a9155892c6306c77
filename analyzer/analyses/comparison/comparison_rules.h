// Thresholds of comparisons: what is reported about a change, and what counts as one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

// The unit that amounts are divided by.
enum class Per : uint8_t {
  kSecond,   // of the recording
  kCpu,      // second of CPU time
  kRequest,  // served request; see Model
  kNothing,
};

// How much amounts vary by chance (significance.h).
struct ChanceRules {
  // If the standard errors of two amounts, as shares of them, are below this, their ratio is
  // tested.
  double well_known = 0.25;
  // Correlation of a slice with the next one. If it is higher, slices do not predict the next
  // recording.
  double most_correlation = 0.85;
  // What is known about programs in advance: the standard error of a recording's mean, as a share
  // of it, and the number of parts of a recording that this knowledge is worth.
  double usual_variability = 0.3;
  double usual_freedom = 4;
};

// How changes of one signal are reported, each once (changes.h).
struct ChangeRules {
  // Rows explain a change as well as the best one does if they have this share of its significance
  // and of its change. If the best one is the whole, the other two limits apply.
  double equally_good = 0.9;
  double most_of_whole = 0.75;
  double as_sure_as_whole = 0.5;
  // A row's amounts have only moved elsewhere if opposite changes around it leave less than
  // `outweighed` of the change; or less than `partly_outweighed`, and the rest may be chance.
  double outweighed = 0.3;
  double partly_outweighed = 0.6;
  // With this share of a change in native functions, which cannot move, it is one.
  double mostly_native = 0.6;
  // Standard errors that a move must have: in surrounding code, and in the code that may contain a
  // method. A common factor must have `sure_move`, too.
  double sure_move = 3;
  double likely_move = 2;
  // If a method has less than this share of its amount in the other recording, the rest may have
  // been inlined into its caller.
  double as_good_as_gone = 0.1;
  bool IsInOneAlone(double before, double after) const {
    return std::min(before, after) <= as_good_as_gone * std::max(before, after);
  }
  int most_reach = 3;  // callers that a method's time may have moved to
  // The same if both ran the same code and only one has the method: then it is inlined.
  int most_reach_in_one_build = 12;
  // A burst: this factor more, and at least this many standard errors of sampling.
  double burst_factor = 3;
  double sure_sampling = 5;
  // Reported per signal.
  size_t most_changes = 64;
  size_t most_bursts = 2;
  // For the factor that most rows have in common: the largest error of a ratio that is used, how
  // many ratios are needed, and how many are used at most.
  double known_ratio = 0.25;
  size_t fewest_ratios = 3;
  size_t most_candidates = 64;
  // Ratios agree within `agreement` standard errors. A factor is the common one if more than
  // `most_agree` of all ratios agree with it, and either these are more than `shown_by_each`
  // times the ratios that agree with no change, or at most `against_all` of them agree with no
  // change alone.
  double agreement = 2;
  double most_agree = 0.5;
  double shown_by_each = 1.5;
  double against_all = 0.25;
  ChanceRules chance = {};
};

// What counts as the whole of a process, to compare signals with each other (Difference::impact).
struct WeightRules {
  double busy_cores = 1;
  double busy_bytes = 100e6;      // allocated per second
  double busy_throws = 100;       // per second
  double half_the_threads = 100;  // this many started threads count as half
  double busy_requests = 10;      // per second
  double failing = 0.2;           // share of a route's requests
  double state = 0.5;             // least impact of a state at the end of one recording
  // Factor of the impact of what changed per request but not per second, because there were more
  // or fewer requests: it may be a fixed cost.
  double fixed_cost = 0.1;
};

struct ComparisonRules {
  Per per = Per::kSecond;
  uint64_t many_requests = 100;  // with this many in both, amounts are divided by them by default
  // In total, if both are of a program's whole life, recorded from so soon after its start on.
  uint64_t start_of_run_ns = 2'000'000'000;
  double confidence = 0.99;  // below it a difference is noise; corrected for how many are tested
  double min_change = 0.10;  // relative to the first recording
  double min_share = 0.01;   // of the whole
  // The same for code of others that yours does not call, and for allocations.
  double min_share_of_others = 0.1;
  double min_share_of_allocations = 0.05;
  // A method of other code with this share of a method's CPU time is named.
  double much_of_callee = 0.7;
  double min_share_of_heap = 0.05;
  // What only the framework holds in a heap, such as buffers and connections, depends on the load.
  double min_share_of_frameworks_heap = 0.5;
  // From this share and this much on, its growth is perhaps a difference.
  double most_of_framework = 0.4;
  uint64_t much_of_framework = 1 << 20;
  // A factor that all rows of a signal have in common is mentioned from noted_factor on, and is a
  // difference from common_factor on, unless another signal changed as much (within load_factor):
  // then it is the load.
  double noted_factor = 1.1;
  double common_factor = 1.5;
  double load_factor = 1.25;
  // Code that has just begun to run may take so many times the time.
  double most_warm_up = 4;
  // If the requests per second differ by this factor, so do fixed costs per request.
  double other_load = 2;
  // The length of a wait also depends on the scheduler: smaller changes are ignored.
  double min_change_of_waits = 0.4;
  // The same for the duration of a request; min_change, if that is more. Smaller changes of the
  // mean (ns) and of the share that fails are ignored, and so are routes with fewer requests.
  double min_change_of_requests = 0.25;
  double min_request_ns = 200'000;
  double min_failures = 0.005;
  uint64_t few_requests = 20;
  size_t few_other_routes = 2;  // that show whether it is the machine
  // Without routes, the mean of all requests has to change by this factor, and by `min_mean_ns`:
  // the load of the machine changes it, too. Where it is known what each request may have waited
  // for a processor and for the compiler, unless `other_load`, `min_known_mean_ns` are enough: if
  // it changed by the factor even without that time, or by `sure_mean` times the change of that.
  double min_mean_factor = 2;
  uint64_t min_mean_ns = 100'000'000;
  uint64_t min_known_mean_ns = 5'000'000;
  double sure_mean = 3;
  // Where it is not known how long they took: this many more in progress on average, and as many
  // times as many.
  double more_in_progress = 10;
  double in_progress_factor = 4;
  // Where waits for a processor may explain it, requests that take so many times as long are
  // perhaps a difference.
  double perhaps_mean_factor = 5;
  // With this many times fewer requests per second, what is gone may not have been reached.
  double fewer_requests = 1.25;
  // If this many times fewer requests per second were served, and not `many_requests`, that comes
  // first.
  double much_fewer_requests = 10;
  // Commands and calls per request of a route have to change by this factor, by this many, and by
  // so many standard errors.
  double min_work_factor = 1.5;
  double min_work = 0.5;
  double sure_work = 4;
  // The share that fails has to change by this much, and by so many times the error of counting.
  double min_failing_share = 0.01;
  double sure_failing = 2;
  // On average: waiting threads; share of the time in pauses; started threads per second.
  double min_waiting = 0.05;
  double min_pauses = 0.005;
  double min_started_threads = 0.2;
  // Growth of the framework's own objects (other than in arrays) by fewer is ignored.
  uint64_t few_of_framework = 10;
  // A type with this share of an allocating method's change is named with it.
  double most_of_change = 0.5;
  // What occurs only at the start of a process, in these slices (Amounts) of a recording of which
  // the other one lacks at least half, or only at its end, is a note.
  double almost_all = 0.9;
  size_t slices_of_start = 8;
  size_t slices_of_end = 2;
  // Compilation time that is mentioned: cores, and the factor to the other recording.
  double much_compiling = 0.05;
  double compiling_factor = 2;
  // From this factor on it is a difference, if the ages of the processes, and the lengths of the
  // recordings, differ by at most so much.
  double sure_compiling_factor = 4;
  double same_age = 0.25;
  double same_age_seconds = 1;
  // A level at the end (memory, open files) that is this many times the other, and differs by this
  // much, is mentioned.
  double level_factor = 2;
  double level_bytes = 48 << 20;
  double level_handles = 5000;
  double level_files = 100;
  // A recording of fewer seconds is reported as short.
  double short_seconds = 2;
  // Threads share processors and locks, so longer waits for one thing also delay others. Other
  // waits with less than this share of the time are not a separate cause.
  double held_up = 0.1;
  size_t most_consequences = 3;  // in the evidence of a cause
  // The confidence of findings that only one recording has, which are not tested: from a snapshot,
  // and others.
  double confidence_of_snapshot = 0.95;
  double confidence_of_finding = 0.99;
  WeightRules weights = {};
  ChangeRules changes = {};
};

}  // namespace hindsight::analyzer
