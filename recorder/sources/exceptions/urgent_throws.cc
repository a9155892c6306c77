// Which throws are written at once: see kUrgentThrows.
#include <algorithm>

#include "recorder/sources/exceptions/exceptions.h"

namespace hindsight::recorder {

// A rate limit, kept as the time up to which the allowance has been used: each urgent throw
// advances it by one period.
bool Exceptions::MayBeUrgent(uint64_t now) {
  constexpr uint64_t kAhead = kUrgentThrows * kUrgentEveryNs;
  uint64_t used_ns = urgent_used_ns_.load(std::memory_order_relaxed);
  while (true) {
    const uint64_t next_ns = std::max(used_ns, now > kAhead ? now - kAhead : 0) + kUrgentEveryNs;
    if (next_ns > now) return false;
    if (urgent_used_ns_.compare_exchange_weak(used_ns, next_ns, std::memory_order_relaxed)) {
      return true;
    }
  }
}

}  // namespace hindsight::recorder
