#include "recorder/base/clock.h"

namespace hindsight::recorder {

uint64_t ThreadCpuNs() { return ReadClock(CLOCK_THREAD_CPUTIME_ID); }

uint64_t ProcessCpuNs() { return ReadClock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace hindsight::recorder
