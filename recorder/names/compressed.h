// The metadata's compressed unsigned integers (ECMA-335, II.23.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::recorder {

// Takes one of one, two or four bytes from the front. False: it is malformed, or too short.
inline bool TakeCompressed(std::span<const uint8_t>& bytes, uint32_t& value) {
  if (bytes.empty()) return false;
  const uint8_t first = bytes.front();
  bytes = bytes.subspan(1);
  size_t more = 0;
  if ((first & 0x80) == 0) {
    value = first;
  } else if ((first & 0xc0) == 0x80) {
    value = first & 0x3f;
    more = 1;
  } else if ((first & 0xe0) == 0xc0) {
    value = first & 0x1f;
    more = 3;
  } else {
    return false;
  }
  for (; more != 0; --more) {
    if (bytes.empty()) return false;
    value = value << 8 | bytes.front();
    bytes = bytes.subspan(1);
  }
  return true;
}

}  // namespace hindsight::recorder
