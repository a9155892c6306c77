// Thresholds for deadlocks, and for what looks like one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::analyzer {

struct DeadlockRules {
  // Async methods that have to wait for a semaphore that may be a signal before it is taken for a
  // lock that is never released.
  size_t crowd = 3;
  // An owner that has itself been waiting for less than this may have released the lock just
  // before: by then, the thread that this wakes up is awake and is reported as the owner.
  int64_t surely_awake_ns = 1'000'000'000;
  // Threads that wait for a lock and have not run for this long are reported as standing still. A
  // little less than 5 s, because a recording of 5 s has looks that are that far apart.
  uint64_t unchanged_ns = 4'500'000'000;
};

}  // namespace hindsight::analyzer
