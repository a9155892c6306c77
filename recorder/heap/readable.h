// Memory that may not be there: asked of the kernel before it is read. Async-signal-safe, no
// allocation.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "recorder/heap/method_table.h"

namespace hindsight::recorder {

// Whether these eight bytes can be read. The kernel copies the mask before it looks at `how`, which
// is none: EINVAL after a read that went well, EFAULT otherwise.
inline bool IsReadable(uint64_t address) {
  constexpr int kNoSuchHow = -1;
  return syscall(SYS_rt_sigprocmask, kNoSuchHow, address, nullptr, sizeof(uint64_t)) == -1 &&
         errno == EINVAL;
}

// Reads words of the process's own memory, wherever they are said to be. The kernel is asked once
// a page, so the memory has to stay as it is: a copy of the process does. One thread.
class MemoryReader {
 public:
  // False: it cannot be read; `out` is as it was. Only aligned values, which lie in one page.
  template <typename T>
  bool Read(uint64_t address, T& out) {
    if (address % sizeof(T) != 0 || !MayRead(address)) return false;
    out = ReadAt<T>(address);
    return true;
  }

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kPlaces = 64;

  bool MayRead(uint64_t address) {
    const uint64_t page = address / kPage;
    // 0 is the page that nobody may read; the upper half is the kernel's.
    if (page == 0 || address >> 47 != 0) return false;
    uint64_t& known = readable_[page % kPlaces];
    if (known == page) return true;
    if (!IsReadable(page * kPage)) return false;
    known = page;
    return true;
  }

  uint64_t readable_[kPlaces] = {};
};

}  // namespace hindsight::recorder
