// A part of a thread's stack as it was a moment ago, at the addresses that it had there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::recorder {

struct CopiedStack {
  uintptr_t low = 0;  // address of the first word; a multiple of a word's size
  std::span<const uintptr_t> words;

  bool Read(uintptr_t address, uintptr_t& word) const {
    const uintptr_t offset = address - low;
    const size_t index = offset / sizeof(uintptr_t);
    if (address < low || offset % sizeof(uintptr_t) != 0 || index >= words.size()) return false;
    word = words[index];
    return true;
  }
};

}  // namespace hindsight::recorder
