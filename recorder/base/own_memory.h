// The process's own memory where it may not be there any more: the kernel copies, and refuses what
// is not mapped. A few microseconds a read.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

class OwnMemory {
 public:
  // Cannot be opened in a process that has given up being dumpable: all reads then fail.
  OwnMemory() : file_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}
  ~OwnMemory() {
    if (file_ >= 0) close(file_);
  }
  OwnMemory(const OwnMemory&) = delete;
  OwnMemory& operator=(const OwnMemory&) = delete;

  // All of it or false.
  bool Read(uintptr_t address, void* out, size_t size) const {
    return file_ >= 0 && address >> 47 == 0 &&
           pread(file_, out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
  }

 private:
  int file_;
};

}  // namespace hindsight::recorder
