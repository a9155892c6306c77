// An owned file descriptor. -1: none.
#pragma once

#include <unistd.h>

#include <utility>

namespace hindsight::recorder {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  // 0, or the errno of close(2): on network file systems the place where a failed write shows. The
  // descriptor is gone in either case.
  int Close();

 private:
  int fd_ = -1;
};

}  // namespace hindsight::recorder
