#include "recorder/stream/waker.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "recorder/base/clock.h"

namespace hindsight::recorder {

static_assert(std::atomic<uint32_t>::is_always_lock_free && sizeof(std::atomic<uint32_t>) == 4);

void Waker::Wake() {
  // Always an exchange: paired with the one in Wait, it makes what was stored before visible to the
  // woken thread. A plain load could be reordered before that store, and the wake-up would be lost.
  if (pending_.exchange(1) != 0) return;
  const int saved = errno;
  syscall(SYS_futex, &pending_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  errno = saved;
}

bool Waker::Wait(uint64_t timeout_ns) {
  constexpr uint64_t kSecond = 1'000'000'000;
  constexpr uint64_t kLongest = uint64_t{1} << 62;  // 146 years
  const uint64_t end = MonotonicNs() + std::min(timeout_ns, kLongest);
  const timespec at = {static_cast<time_t>(end / kSecond), static_cast<long>(end % kSecond)};
  while (pending_.exchange(0) == 0) {
    // Of all futex waits, this one has an absolute end, on the monotonic clock.
    const long slept = syscall(SYS_futex, &pending_, FUTEX_WAIT_BITSET_PRIVATE, 0, &at, nullptr,
                               FUTEX_BITSET_MATCH_ANY);
    if (slept != 0 && errno != EAGAIN && errno != EINTR) return pending_.exchange(0) != 0;
  }
  return true;
}

}  // namespace hindsight::recorder
