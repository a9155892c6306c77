// The part of a stack that a walk from a signal may read: from the frame that was left last up to
// the stack's end, so a walk only goes up.
#pragma once

#include <cstdint>

#include "recorder/base/load_word.h"

namespace hindsight::recorder {

struct StackRange {
  uintptr_t low;
  uintptr_t high;

  bool Read(uintptr_t address, uintptr_t& word) const {
    constexpr uintptr_t kWord = sizeof(uintptr_t);
    if (address < low || address % kWord != 0 || address >= high || high - address < kWord) {
      return false;
    }
    word = LoadWord(address);
    return true;
  }
};

}  // namespace hindsight::recorder
