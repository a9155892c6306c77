#include <fcntl.h>
#include <unistd.h>

#include "recorder/control/bell.h"

namespace hindsight::recorder {

bool Bell::Make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  read_ = Descriptor(ends[0]);
  write_ = Descriptor(ends[1]);
  return true;
}

bool Bell::IsOurs() const { return read_.IsOurs() && write_.IsOurs(); }

void Bell::Set() { (void)!write(write_.get(), "", 1); }

void Bell::Reset() {
  char bytes[64];
  while (IsOurs() && read(read_.get(), bytes, sizeof bytes) > 0) {
  }
}

}  // namespace hindsight::recorder
