#include "recorder/control/bell.h"

#include <fcntl.h>
#include <unistd.h>

namespace hindsight::recorder {

bool Bell::Open() {
  const std::lock_guard lock(mutex_);
  is_rung_ = false;
  return MakePipe();
}

bool Bell::MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  read_ = Descriptor(ends[0]);
  write_ = Descriptor(ends[1]);
  return true;
}

bool Bell::IsOurs() const { return read_.IsOurs() && write_.IsOurs(); }

void Bell::Close() {
  const std::lock_guard lock(mutex_);
  read_.Close();
  write_.Close();
}

void Bell::Ring() {
  const std::lock_guard lock(mutex_);
  is_rung_ = true;
  Write();
}

void Bell::Write() {
  if (IsOurs()) (void)!write(write_.get(), "", 1);
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
  char bytes[64];
  while (IsOurs() && read(read_.get(), bytes, sizeof bytes) > 0) {
  }
  is_rung_ = false;
}

}  // namespace hindsight::recorder
