#include "recorder/control/bell.h"

namespace hindsight::recorder {

bool Bell::Open() {
  const std::lock_guard lock(mutex_);
  is_rung_ = false;
  return Make();
}

void Bell::Close() {
  const std::lock_guard lock(mutex_);
  read_.Close();
  write_.Close();
}

void Bell::Ring() {
  const std::lock_guard lock(mutex_);
  is_rung_ = true;
  if (IsOurs()) Set();
}

int Bell::Keep() {
  const std::lock_guard lock(mutex_);
  if (IsOurs()) return read_.get();
  if (!Make()) return -1;
  if (is_rung_) Set();
  return read_.get();
}

void Bell::Clear() {
  const std::lock_guard lock(mutex_);
  if (IsOurs()) Reset();
  is_rung_ = false;
}

}  // namespace hindsight::recorder
