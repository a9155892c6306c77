#include "recorder/names/call_instruction.h"

#include <array>

#include "recorder/base/own_memory.h"

namespace hindsight::recorder {

std::optional<bool> FollowsCall(uintptr_t ip) {
  std::array<uint8_t, kCallBytes> before;
  if (!ReadOwn(ip - before.size(), before.data(), before.size())) return std::nullopt;
  return EndsWithCall(before);
}

AddressKind KindOnStack(uintptr_t ip) {
  return FollowsCall(ip).value_or(true) ? AddressKind::kReturn : AddressKind::kExact;
}

}  // namespace hindsight::recorder
