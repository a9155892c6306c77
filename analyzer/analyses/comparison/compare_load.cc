// What a process uses per second depends on how much it had to do.
#include <algorithm>
#include <vector>

#include "analyzer/analyses/comparison/compared_signal.h"

namespace hindsight::analyzer {
namespace {

// CompareServed's.
bool IsLoad(const Difference& difference) {
  return difference.signal == Signal::kRequests && difference.level == Difference::Level::kWhole &&
         difference.unit == Unit::kPerSecond;
}

bool IsUse(const Difference& difference) {
  return difference.signal == Signal::kCpu || difference.signal == Signal::kAllocations ||
         difference.signal == Signal::kPauses;
}

}  // namespace

void NoteWhatFollowsLoad(Comparison& comparison) {
  const auto load = std::ranges::find_if(comparison.differences, IsLoad);
  if (load == comparison.differences.end()) return;
  const bool is_more = load->after > load->before;
  std::vector<Difference>& all = comparison.differences;
  const auto follows =
      std::stable_partition(all.begin(), all.end(), [is_more](const auto& difference) {
        return !IsUse(difference) || IsWorse(difference) != is_more;
      });
  std::for_each(follows, all.end(), [&comparison](const Difference& difference) {
    comparison.Note(difference.title, "So did the number of requests: this may be the load.",
                    false);
  });
  all.erase(follows, all.end());
}

}  // namespace hindsight::analyzer
