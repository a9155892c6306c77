// Return addresses as arm64 keeps them: code that is compiled with pointer authentication signs
// them in their upper bits while they are on the stack.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// The address without its signature, if it has one. A processor without signatures takes the
// instruction (xpaclri, which only works on x30) for a nop.
inline uintptr_t WithoutSignature(uintptr_t address) {
  register uintptr_t link asm("x30") = address;
  asm("hint #7" : "+r"(link));
  return link;
}

}  // namespace hindsight::recorder
