// Reads memory of this process that may be unmapped: the kernel copies it, and fails if it is not
// mapped. A few microseconds per read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

class OwnMemory {
 public:
  // Opens /proc/self/mem on Linux. That fails in a process that is no longer dumpable; all reads
  // then fail too.
  OwnMemory();

  // Reads all of it, or returns false.
  bool Read(uintptr_t address, void* out, size_t size) const;

 private:
  Descriptor file_;  // on Linux
};

// The same without opening a file, in about a microsecond. Where the system does not allow that, it
// opens the file after all.
bool ReadOwn(uintptr_t address, void* out, size_t size);

// The same for one word, but it fails where the system does not allow that.
bool ReadOwnWord(uintptr_t address, uintptr_t& out);

}  // namespace hindsight::recorder
