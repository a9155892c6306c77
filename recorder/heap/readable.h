// Reads memory that may be unmapped, after checking with the kernel. Async-signal-safe, no
// allocation.
#pragma once

#include <cstdint>

#include "recorder/base/user_address.h"
#include "recorder/heap/method_table.h"

namespace hindsight::recorder {

// Whether these eight bytes can be read.
bool IsReadable(uint64_t address);

// Reads words of the process's own memory at any address. The kernel is asked once per page, so
// mappings must not change: in a copy of the process they don't. One thread.
class MemoryReader {
 public:
  // False: not readable; `out` is unchanged. Only aligned values, which are within one page.
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
    // Page 0 and kernel addresses are never readable.
    if (page == 0 || !MayBeUserAddress(address)) return false;
    uint64_t& known = readable_[page % kPlaces];
    if (known == page) return true;
    if (!IsReadable(page * kPage)) return false;
    known = page;
    return true;
  }

  uint64_t readable_[kPlaces] = {};
};

}  // namespace hindsight::recorder
