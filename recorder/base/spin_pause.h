// Tells the processor that this thread waits in a loop for another one.
#pragma once

namespace hindsight::recorder {

void SpinPause();

}  // namespace hindsight::recorder
