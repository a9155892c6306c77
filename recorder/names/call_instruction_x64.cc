#include "recorder/names/call_instruction.h"

namespace hindsight::recorder {
namespace {

// Bytes of a near call through a register or memory (FF /2), by the two that follow the opcode, of
// which the second may not belong to it.
size_t IndirectCallBytes(uint8_t mod_rm, uint8_t sib) {
  constexpr size_t kShort = 1, kLong = 4;  // bytes of a displacement
  const unsigned mod = mod_rm >> 6, rm = mod_rm & 7;
  const bool has_sib = mod != 3 && rm == 4;
  const size_t bytes = has_sib ? 3 : 2;
  if (mod == 1) return bytes + kShort;
  const bool is_absolute = mod == 0 && (rm == 5 || (has_sib && (sib & 7) == 5));
  return bytes + (mod == 2 || is_absolute ? kLong : 0);
}

}  // namespace

bool EndsWithCall(std::span<const uint8_t> code) {
  constexpr size_t kRelative = 5, kShortest = 2, kLongest = 7;
  const size_t end = code.size();
  if (end >= kRelative && code[end - kRelative] == 0xe8) return true;
  for (size_t bytes = kShortest; bytes <= kLongest && bytes <= end; ++bytes) {
    const auto call = code.last(bytes);
    constexpr uint8_t kRegister = 2 << 3, kRegisterMask = 7 << 3;
    if (call[0] == 0xff && (call[1] & kRegisterMask) == kRegister &&
        IndirectCallBytes(call[1], bytes > 2 ? call[2] : 0) == bytes) {
      return true;
    }
  }
  return false;
}

}  // namespace hindsight::recorder
