#include "recorder/base/forked_copy.h"

namespace hindsight::recorder {

// Processes are not copied.
void ForkedCopy::Watch() {}

}  // namespace hindsight::recorder
