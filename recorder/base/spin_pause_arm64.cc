#include "recorder/base/spin_pause.h"

namespace hindsight::recorder {

// `yield` does nothing on most processors; `isb` waits for some tens of cycles.
void SpinPause() { asm volatile("isb" ::: "memory"); }

}  // namespace hindsight::recorder
