// A condition variable with the interface of std's, whose timed waits use the monotonic clock.
//
// std::condition_variable needs pthread_cond_clockwait for that, which glibc has only since 2.30
// and musl does not have. Without it, timed waits follow the wall clock: if that is set back by an
// hour, the process cannot exit for an hour. A condition variable with a clock attribute is
// available everywhere (POSIX 2001).
#pragma once

#include <pthread.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <mutex>

#include "recorder/base/clock.h"

namespace hindsight::recorder {

class Condition {
 public:
  Condition() {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  ~Condition() { pthread_cond_destroy(&condition_); }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void notify_all() { pthread_cond_broadcast(&condition_); }

  template <typename Predicate>
  void wait(std::unique_lock<std::mutex>& lock, Predicate holds) {
    while (!holds()) pthread_cond_wait(&condition_, lock.mutex()->native_handle());
  }

  // Returns the predicate's last result; false only when `timeout` has passed.
  template <typename Predicate>
  bool wait_for(std::unique_lock<std::mutex>& lock, std::chrono::nanoseconds timeout,
                Predicate holds) {
    constexpr uint64_t kSecond = 1'000'000'000;
    constexpr uint64_t kLongest = uint64_t{1} << 62;  // 146 years
    const uint64_t given = timeout.count() > 0 ? static_cast<uint64_t>(timeout.count()) : 0;
    const uint64_t end = MonotonicNs() + (given < kLongest ? given : kLongest);
    timespec at;
    at.tv_sec = static_cast<time_t>(end / kSecond);
    at.tv_nsec = static_cast<long>(end % kSecond);
    while (!holds()) {
      if (pthread_cond_timedwait(&condition_, lock.mutex()->native_handle(), &at) != 0) {
        return holds();
      }
    }
    return true;
  }

 private:
  pthread_cond_t condition_;
};

}  // namespace hindsight::recorder
