// Calls in machine code: an address is a return address only if the instruction before it is one.
// One file for each processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::recorder {

inline constexpr size_t kCallBytes = 8;  // no call is longer

// Whether the last instruction of `code` may be a call; kCallBytes of it are enough. On x64, where
// instructions have no fixed length, other bytes may look like one.
bool EndsWithCall(std::span<const uint8_t> code);

}  // namespace hindsight::recorder
