// The GCDesc of a class: where its objects hold references (dotnet/runtime,
// src/coreclr/gc/gcdesc.h). It is stored below the MethodTable.
//
// Any thread; async-signal-safe. Reads memory below `table`; the caller guarantees that it is
// readable.
#pragma once

#include <cstdint>

#include "recorder/heap/method_table.h"

namespace hindsight::recorder {

// Calls `slot(offset)` for each reference of an object, or of one element of an array, in no
// particular order; offsets are in bytes from the object's address, or from the element's start.
// False: the description is invalid, or has more than `limit` slots.
template <typename Slot>
bool ForEachSlot(const MethodTable& table, uint32_t limit, Slot slot) {
  constexpr uint64_t kPointer = 8;
  if (!table.has_references()) return true;
  const uint64_t top = table.address();
  const auto series = ReadAt<int64_t>(top - 8);
  const uint64_t data = uint64_t{table.base_bytes()} - 8;  // for arrays: the first element
  uint32_t count = 0;

  // An array of references, or of structs that contain only references (KeyValuePair<string,
  // object>).
  if (series > 0 && table.is_array()) {
    const uint32_t bytes = table.component_bytes();
    if (bytes == 0 || bytes % kPointer != 0) return false;
    for (uint32_t offset = 0; offset < bytes; offset += kPointer) {
      if (++count > limit) return false;
      slot(offset);
    }
    return true;
  }
  if (series > 0) {
    for (int64_t i = 0; i < series; ++i) {
      const uint64_t entry = top - 8 - 16 * static_cast<uint64_t>(i + 1);
      const int64_t bytes = ReadAt<int64_t>(entry) + int64_t{table.base_bytes()};
      const uint64_t start = ReadAt<uint64_t>(entry + 8);
      if (bytes < 0 || bytes % 8 != 0 || start % 8 != 0 ||
          start + static_cast<uint64_t>(bytes) > table.base_bytes()) {
        return false;
      }
      for (uint64_t offset = start; offset < start + static_cast<uint64_t>(bytes);
           offset += kPointer) {
        if (++count > limit) return false;
        slot(static_cast<uint32_t>(offset));
      }
    }
    return true;
  }
  // An array of structs: runs of {references, bytes to skip}, the same in each element.
  const uint64_t first = top - 8 - 16;
  const uint64_t start = ReadAt<uint64_t>(first + 8);
  if (series == 0 || !table.is_array() || start < data) return false;
  uint64_t offset = start - data;
  uint64_t covered = 0;
  for (int64_t i = 0; i < -series; ++i) {
    const uint64_t item = first - 8 * static_cast<uint64_t>(i);
    const uint32_t references = ReadAt<uint32_t>(item);
    const uint32_t skip = ReadAt<uint32_t>(item + 4);
    for (uint32_t r = 0; r < references; ++r, offset += kPointer) {
      if (++count > limit || offset + kPointer > table.component_bytes()) return false;
      slot(static_cast<uint32_t>(offset));
    }
    offset += skip;
    covered += references * kPointer + skip;
  }
  return covered == table.component_bytes();
}

}  // namespace hindsight::recorder
