#include <windows.h>

#include "recorder/base/handle_windows.h"
#include "recorder/control/bell.h"

namespace hindsight::recorder {

// An event: one handle for both ends.
bool Bell::Make() {
  read_ = Descriptor(NumberOf(CreateEventW(nullptr, /*bManualReset=*/TRUE, FALSE, nullptr)));
  return static_cast<bool>(read_);
}

bool Bell::IsOurs() const { return read_.IsOurs(); }

void Bell::Set() { SetEvent(HandleOf(read_.get())); }

void Bell::Reset() { ResetEvent(HandleOf(read_.get())); }

}  // namespace hindsight::recorder
