// Hints to the processor that this thread is spinning.
#pragma once

namespace hindsight::recorder {

void SpinPause();

}  // namespace hindsight::recorder
