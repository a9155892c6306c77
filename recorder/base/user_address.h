// Which addresses can be in a process's own address space.
#pragma once

#include <cstdint>

namespace hindsight::recorder {

// Linux gives a process the lower half of the addresses on x64, and up to 48 bits on arm64; more
// only if it asks for them.
#if defined(__x86_64__)
inline constexpr uint32_t kUserAddressBits = 47;
#else
inline constexpr uint32_t kUserAddressBits = 48;
#endif

inline constexpr bool MayBeUserAddress(uint64_t address) {
  return address >> kUserAddressBits == 0;
}

}  // namespace hindsight::recorder
