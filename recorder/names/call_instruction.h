// Calls in machine code: an address is a return address only if the instruction before it is one.
// EndsWithCall is in a file for each processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "recorder/names/descriptions.h"

namespace hindsight::recorder {

inline constexpr size_t kCallBytes = 8;  // no call is longer

// Whether the last instruction of `code` may be a call; kCallBytes of it are enough. On x64, where
// instructions have no fixed length, other bytes may look like one.
bool EndsWithCall(std::span<const uint8_t> code);

// The same for the code before `ip` in this process. nullopt: it cannot be read. About a
// microsecond.
std::optional<bool> FollowsCall(uintptr_t ip);

// What an address of a stack is that the runtime reports: the innermost one may be an instruction
// that was interrupted or faulted, maybe its method's first one. A return address if the code
// cannot be read.
AddressKind KindOnStack(uintptr_t ip);

}  // namespace hindsight::recorder
