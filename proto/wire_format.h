// Numbers and fields in protobuf's wire format, written to memory that is large enough. Pure
// functions; async-signal-safe. `Byte`: char or uint8_t. All return the position after what they
// wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "proto/recording_fields.h"

namespace hindsight {

inline constexpr size_t kMaxVarintBytes = 10;
inline constexpr size_t kMaxNumberFieldBytes = 5 + kMaxVarintBytes;  // with its tag

constexpr uint64_t ZigZag(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}

// Writes at most kMaxVarintBytes.
template <typename Byte>
Byte* PutVarint(uint64_t value, Byte* at) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<Byte>(value | 0x80);
  *at++ = static_cast<Byte>(value);
  return at;
}

// A number as a value of this type, without a tag.
template <typename Type, wire::Fits<Type> V, typename Byte>
Byte* PutNumber(V value, Byte* at) {
  if constexpr (Type::kWireType != wire::WireType::kVarint) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    const typename Type::Value whole = value;
    std::memcpy(at, &whole, sizeof whole);
    return at + sizeof whole;
  } else if constexpr (std::is_signed_v<V>) {
    return PutVarint(ZigZag(value), at);
  } else {
    return PutVarint(static_cast<uint64_t>(value), at);
  }
}

// Writes at most kMaxNumberFieldBytes.
template <typename Message, typename Type, uint32_t number, wire::Fits<Type> V, typename Byte>
Byte* PutField(wire::FieldNumber<Message, Type, number> field, V value, Byte* at) {
  return PutNumber<Type>(value, PutVarint(field.kTag, at));
}

// The tag and the length that precede a string, a message or a packed column.
template <typename Message, typename Type, uint32_t number, typename Byte>
requires(Type::kWireType == wire::WireType::kLengthDelimited) Byte* PutLength(
    wire::FieldNumber<Message, Type, number> field, size_t bytes, Byte* at) {
  return PutVarint(bytes, PutVarint(field.kTag, at));
}

}  // namespace hindsight
