#include <windows.h>

#include "recorder/base/stack_bounds.h"

namespace hindsight::recorder {

StackBounds OwnStackBounds() {
  ULONG_PTR low = 0, high = 0;
  GetCurrentThreadStackLimits(&low, &high);
  return {low, high};
}

}  // namespace hindsight::recorder
