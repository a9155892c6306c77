#include "recorder/sources/cpu/cpu_faults.h"

namespace hindsight::recorder {

// There are no signals.
void CpuFaults::HoldBack(int) {}

bool CpuFaults::Thrown(clr::ObjectID) { return false; }

}  // namespace hindsight::recorder
