// Reads memory of the own process that may be unmapped: the kernel copies it, and fails if it is
// not mapped. A few microseconds per read.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "recorder/base/descriptor.h"
#include "recorder/base/user_address.h"

namespace hindsight::recorder {

class OwnMemory {
 public:
  // In a process that is no longer dumpable it cannot be opened; all reads then fail.
  OwnMemory() : file_(open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) {}

  // Reads all of it, or returns false.
  bool Read(uintptr_t address, void* out, size_t size) const {
    return file_ && MayBeUserAddress(address) &&
           pread(file_.get(), out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
  }

 private:
  Descriptor file_;
};

}  // namespace hindsight::recorder
