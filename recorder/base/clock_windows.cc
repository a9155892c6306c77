#include <windows.h>

#include "recorder/base/clock.h"
#include "recorder/base/thread_run.h"

namespace hindsight::recorder {

// The same clock by which others are asked for this thread's time.
uint64_t ThreadCpuNs() { return CpuNsOfThread(GetCurrentThreadId()); }

uint64_t ProcessCpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace hindsight::recorder
