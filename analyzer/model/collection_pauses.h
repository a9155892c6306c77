// Stop-the-world pauses for collections.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "analyzer/model/collections.h"

namespace hindsight::analyzer {

class CollectionPauses {
 public:
  // `pauses` must be ordered by time and outlive this.
  explicit CollectionPauses(const std::vector<SuspensionRow>& pauses) : pauses_(pauses) {}

  bool Contain(int64_t at_ns) const {
    const auto after = std::upper_bound(
        pauses_.begin(), pauses_.end(), at_ns,
        [](int64_t time_ns, const SuspensionRow& pause) { return time_ns < pause.at_ns; });
    if (after == pauses_.begin()) return false;
    const SuspensionRow& pause = *std::prev(after);
    return (pause.reason == kForGc || pause.reason == kForGcPreparation) &&
           at_ns - pause.at_ns < static_cast<int64_t>(pause.total_ns);
  }

 private:
  // COR_PRF_SUSPEND_REASON
  static constexpr uint32_t kForGc = 1;
  static constexpr uint32_t kForGcPreparation = 7;

  const std::vector<SuspensionRow>& pauses_;
};

}  // namespace hindsight::analyzer
