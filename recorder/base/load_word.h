// The word at an address that the caller knows to be readable: on a stack, or in an object.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// A stack walk also reads between variables, which AddressSanitizer reports as an error.
__attribute__((no_sanitize("address"))) inline uintptr_t LoadWord(uintptr_t address) {
  return *reinterpret_cast<const uintptr_t*>(address);
}
// The same for a 32-bit field, which need not be aligned like a word.
__attribute__((no_sanitize("address"))) inline uint32_t LoadWord32(uintptr_t address) {
  return *reinterpret_cast<const uint32_t*>(address);
}

}  // namespace hindsight::recorder
