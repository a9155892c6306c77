// Thresholds of comparisons: what is told of a change, and what counts as one.
#pragma once

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

// How changes of one signal are told, each once (changes.h).
struct ChangeRules {
  // Rows that explain a change as well as the best one: of its standing, and of its change. Where
  // the best is the whole, the second two.
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
};

struct ComparisonRules {
  Per per = Per::kSecond;
  double confidence = 0.99;  // below it a difference is noise; corrected for how many are looked at
  double min_change = 0.10;  // of what it was
  double min_share = 0.01;   // of the whole
  // Likewise, for code of others that nothing of yours calls, and for parts of the heap.
  double min_share_of_others = 0.1;
  double min_share_of_allocations = 0.05;
  double min_share_of_heap = 0.05;
  // What only the framework holds in a heap, its buffers and connections, comes with the load.
  double min_share_of_frameworks_heap = 0.5;
  // What all rows of a signal have in common is told from the first on, and is a difference from
  // the second on, unless something else changed as much, within the third: then it is the load.
  double noted_factor = 1.1;
  double common_factor = 1.5;
  double load_factor = 1.25;
  ChangeRules changes = {};
};

}  // namespace hindsight::analyzer
