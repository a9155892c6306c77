// CPU times of threads by handle, for those who ask often. On Windows only.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// Since the thread started: exact to the nanosecond where the system counts cycles, in steps of a
// clock tick (10 to 16 ms) where it does not. 0: the handle is no thread's.
uint64_t CpuNsOfThread(void* handle);

}  // namespace hindsight::recorder
