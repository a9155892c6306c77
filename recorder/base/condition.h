// A condition variable with the interface of std's, whose timed waits use the monotonic clock.
//
// std::condition_variable needs pthread_cond_clockwait for that, which glibc has only since 2.30
// and musl does not have. Without it, timed waits follow the wall clock: if that is set back by an
// hour, the process cannot exit for an hour. A condition variable with a clock attribute is
// available everywhere (POSIX 2001).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "recorder/base/clock.h"

namespace hindsight::recorder {

class Condition {
 public:
  Condition();
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void notify_all();

  template <typename Predicate>
  void wait(std::unique_lock<std::mutex>& lock, Predicate holds) {
    while (!holds()) Wait(*lock.mutex());
  }

  // Returns the predicate's last result; false only when `timeout` has passed.
  template <typename Predicate>
  bool wait_for(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout,
                Predicate holds) {
    constexpr uint64_t kLongest = uint64_t{1} << 62;  // 146 years
    const uint64_t given = timeout.count() > 0 ? static_cast<uint64_t>(timeout.count()) : 0;
    const uint64_t end = MonotonicNs() + (given < kLongest ? given : kLongest);
    while (!holds()) {
      if (!WaitUntil(*lock.mutex(), end)) return holds();
    }
    return true;
  }

 private:
  // Called with the mutex locked; it is released during the wait. Wake-ups may be spurious.
  void Wait(std::mutex& mutex);
  bool WaitUntil(std::mutex& mutex, uint64_t end_ns);  // false: `end_ns` has been reached

  alignas(8) std::byte state_[48];  // the system's condition variable
};

}  // namespace hindsight::recorder
