// Stacks of samples: the interrupted instruction, then return addresses, innermost first. Where a
// sample was taken in a signal's handler, what that signal had interrupted is an instruction, too:
// such a word is marked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

// The word at `index` of a stack.
struct SampledPlace {
  uintptr_t ip;
  AddressKind kind;

  static constexpr SampledPlace Of(uintptr_t word, size_t index) {
    const bool is_exact = index == 0 || (word & kInterrupted) != 0;
    return {word & ~kInterrupted, is_exact ? AddressKind::kExact : AddressKind::kReturn};
  }
  static constexpr uintptr_t Word(uintptr_t ip, bool is_exact, size_t index) {
    return is_exact && index != 0 ? ip | kInterrupted : ip;
  }

 private:
  // No address of a process has this bit.
  static constexpr uintptr_t kInterrupted = uintptr_t{1} << 63;
};

}  // namespace hindsight::recorder
