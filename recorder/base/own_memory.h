// Reads memory of the own process that may be unmapped: the kernel copies it, and fails if it is
// not mapped. A few microseconds per read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/base/descriptor.h"

namespace hindsight::recorder {

class OwnMemory {
 public:
  // In a process that is no longer dumpable it cannot be opened; all reads then fail.
  OwnMemory();

  // Reads all of it, or returns false.
  bool Read(uintptr_t address, void* out, size_t size) const;

 private:
  Descriptor file_;  // where the kernel has one for it
};

// The same without anything to open: in a microsecond. Where the system does not allow that, it
// opens the file after all.
bool ReadOwn(uintptr_t address, void* out, size_t size);

// Likewise for one word; but then it fails.
bool ReadOwnWord(uintptr_t address, uintptr_t& out);

}  // namespace hindsight::recorder
