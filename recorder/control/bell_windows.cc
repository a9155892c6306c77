#include <windows.h>

#include "recorder/base/handle_windows.h"
#include "recorder/control/bell.h"

namespace hindsight::recorder {

// An event: one handle for both ends.
bool Bell::Open() {
  const std::lock_guard lock(mutex_);
  is_rung_ = false;
  return MakePipe();
}

bool Bell::MakePipe() {
  read_ = Descriptor(NumberOf(CreateEventW(nullptr, /*bManualReset=*/TRUE, FALSE, nullptr)));
  return static_cast<bool>(read_);
}

bool Bell::IsOurs() const { return read_.IsOurs(); }

void Bell::Close() {
  const std::lock_guard lock(mutex_);
  read_.Close();
}

void Bell::Ring() {
  const std::lock_guard lock(mutex_);
  is_rung_ = true;
  Write();
}

void Bell::Write() {
  if (IsOurs()) SetEvent(HandleOf(read_.get()));
}

int Bell::Keep() {
  const std::lock_guard lock(mutex_);
  if (IsOurs()) return read_.get();
  if (!MakePipe()) return -1;
  if (is_rung_) Write();
  return read_.get();
}

void Bell::Clear() {
  const std::lock_guard lock(mutex_);
  if (IsOurs()) ResetEvent(HandleOf(read_.get()));
  is_rung_ = false;
}

}  // namespace hindsight::recorder
