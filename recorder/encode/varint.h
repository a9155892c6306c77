// The integers of protobuf's wire format. Pure functions; async-signal-safe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

inline constexpr size_t kMaxVarintBytes = 10;

constexpr uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

// Writes at most kMaxVarintBytes to `at`; returns the position after them. `Byte`: char or uint8_t.
template <typename Byte>
Byte* PutVarint(uint64_t value, Byte* at) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<Byte>(value | 0x80);
  *at++ = static_cast<Byte>(value);
  return at;
}

}  // namespace hindsight::recorder
