#include <cstring>

#include "recorder/names/call_instruction.h"

namespace hindsight::recorder {

bool EndsWithCall(std::span<const uint8_t> code) {
  uint32_t last = 0;
  if (code.size() < sizeof last) return false;
  std::memcpy(&last, code.last(sizeof last).data(), sizeof last);
  const bool is_bl = (last & 0xfc000000) == 0x94000000;
  // Also those that authenticate the address (blraa and the like): they differ in bits 24, 11, 10.
  const bool is_blr = (last & 0xfefff000) == 0xd63f0000;
  return is_bl || is_blr;
}

}  // namespace hindsight::recorder
