#include "recorder/base/thread_hold.h"

namespace hindsight::recorder {

// There are no signals, so no thread is held.
void ThreadHold::Send() {}

}  // namespace hindsight::recorder
