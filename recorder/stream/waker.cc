#include "recorder/stream/waker.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace hindsight::recorder {

bool Waker::Open() {
  fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  pending_.store(false);
  return fd_ >= 0;
}

void Waker::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

void Waker::Wake() {
  // Always an exchange: paired with the one in Clear, it makes what was stored before visible to
  // the woken thread. A plain load could be reordered before that store, and the wake-up would be
  // lost.
  if (pending_.exchange(true)) return;
  const int saved = errno;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof(one));
  errno = saved;
}

bool Waker::Wait(uint64_t timeout_ns) {
  pollfd waiting{fd_, POLLIN, 0};
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  ppoll(&waiting, 1, &timeout, nullptr);
  return Clear();
}

bool Waker::Clear() {
  uint64_t count;
  const bool woken = read(fd_, &count, sizeof(count)) == sizeof(count);
  pending_.exchange(false);
  return woken;
}

}  // namespace hindsight::recorder
