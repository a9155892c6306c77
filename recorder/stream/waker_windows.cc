#include <algorithm>

#include "recorder/base/clock.h"
#include "recorder/base/sleep_windows.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

void Waker::Wake() {
  // Always an exchange, as on Linux.
  if (pending_.exchange(1) == 0) WakeAll(pending_);
}

bool Waker::Wait(uint64_t timeout_ns) {
  constexpr uint64_t kLongest = uint64_t{1} << 62;  // 146 years
  const uint64_t end = MonotonicNs() + std::min(timeout_ns, kLongest);
  while (pending_.exchange(0) == 0) {
    if (MonotonicNs() >= end) return pending_.exchange(0) != 0;
    WaitWhile(pending_, 0, end);
  }
  return true;
}

}  // namespace hindsight::recorder
