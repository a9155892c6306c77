#include "recorder/base/clock.h"

namespace hindsight::recorder {

// ThreadCpuNs is in thread_run_windows.cc.
uint64_t ProcessCpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace hindsight::recorder
