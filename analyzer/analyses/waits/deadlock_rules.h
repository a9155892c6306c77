// Thresholds of deadlocks, and of what looks like one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

struct DeadlockRules {
  // Async methods that have to wait for a semaphore that may be a signal, before it looks like a
  // lock that nobody releases.
  size_t crowd = 3;
  // An owner that waits itself for less may have released the lock just before: whom that wakes up
  // is awake, and reported as the owner, by then.
  int64_t surely_awake_ns = 1'000'000'000;
  // Threads that wait for a lock and have not run for so long are reported as standing still.
  uint64_t unchanged_ns = 10'000'000'000;
};

}  // namespace hindsight::analyzer
