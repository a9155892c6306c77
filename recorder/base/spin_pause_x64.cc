#include "recorder/base/spin_pause.h"

namespace hindsight::recorder {

void SpinPause() { __builtin_ia32_pause(); }

}  // namespace hindsight::recorder
