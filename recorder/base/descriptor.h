// An owned file descriptor. -1: none.
//
// It knows which file it was opened for. If the application has closed it, the number may belong to
// a file of the application's: that is never closed, and IsOurs says so before it is used.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "recorder/base/file_identity.h"

namespace hindsight::recorder {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd), file_(FileIdentity::Of(fd)) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)), file_(other.file_) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
      file_ = other.file_;
    }
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Whether it still refers to the file that it was opened for.
  bool IsOurs() const { return file_.IsOf(fd_); }
  const FileIdentity& file() const { return file_; }

  // 0, or the errno of close(2): on network file systems the place where a failed write shows;
  // EBADF if somebody else has closed it. The descriptor is gone in any case.
  int Close() {
    if (fd_ < 0) return 0;
    const bool is_ours = IsOurs();
    const int fd = std::exchange(fd_, -1);
    if (!is_ours) return EBADF;
    // EINTR: Linux has freed the descriptor already, a second close could hit somebody else's.
    const int result = close(fd);
    return result == 0 || errno == EINTR ? 0 : errno;
  }

 private:
  int fd_ = -1;
  FileIdentity file_;
};

}  // namespace hindsight::recorder
