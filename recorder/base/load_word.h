// The word at an address that the caller knows to be readable: on a stack, or in an object.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// A walk of a stack also reads between the variables, which AddressSanitizer reports as an error.
__attribute__((no_sanitize("address"))) inline uintptr_t LoadWord(uintptr_t address) {
  return *reinterpret_cast<const uintptr_t*>(address);
}

}  // namespace hindsight::recorder
