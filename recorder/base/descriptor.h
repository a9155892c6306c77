// An owned file descriptor. -1: none. On Windows its number is that of a handle, which has no more
// than 32 bits there (learn.microsoft.com/windows/win32/winprog64/interprocess-communication).
//
// It remembers which file it was opened for. If the application has closed it, the number may now
// refer to one of the application's files: that is never closed, and IsOurs detects it before use.
#pragma once

#include <utility>

#include "recorder/base/file_identity.h"

namespace hindsight::recorder {

class Descriptor {
 public:
  Descriptor() = default;
  // Owns `fd`, or a duplicate of it in its place: see NotStandard.
  explicit Descriptor(int fd) : fd_(NotStandard(fd)), file_(FileIdentity::Of(fd_)) {}
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

  // 0, or the errno of close(2), which is where network file systems report a failed write; EBADF
  // if the application has closed it. The descriptor is invalid afterwards in any case.
  int Close();

 private:
  // In a process whose standard streams are closed, what is opened next gets their numbers. But
  // everyone still uses these as standard streams: the runtime's message about an unhandled
  // exception would end up in our file. So the file gets another number. Leaves errno alone.
  static int NotStandard(int fd);

  int fd_ = -1;
  FileIdentity file_;
};

}  // namespace hindsight::recorder
