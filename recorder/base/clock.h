// Clocks in nanoseconds. All are async-signal-safe. They cost about 20 ns (vDSO), except those of
// CPU time.
#pragma once

#include <time.h>

#include <cstdint>

namespace hindsight::recorder {

inline uint64_t ReadClock(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

// The clock of all times in a recording.
inline uint64_t MonotonicNs() { return ReadClock(CLOCK_MONOTONIC); }
inline uint64_t UnixNs() { return ReadClock(CLOCK_REALTIME); }
// CPU time of the calling thread; a system call.
uint64_t ThreadCpuNs();

// CPU time of the process; a system call.
uint64_t ProcessCpuNs();

}  // namespace hindsight::recorder
