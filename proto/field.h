// The schema's fields as C++ types: recording_fields.h has one constant per field, in one struct
// per message. The build makes that file from recording.proto (recording_fields.cmake).
//
// Constants only, for code that cannot use protobuf's own library. A field of another message, or a
// value of another type, does not compile.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace hindsight::wire {

enum class WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };

// The types of recording.proto. `Value` is the C++ type of a value.
template <typename T, WireType type>
struct Scalar {
  using Value = T;
  static constexpr WireType kWireType = type;
};
using Uint32 = Scalar<uint32_t, WireType::kVarint>;
using Uint64 = Scalar<uint64_t, WireType::kVarint>;
using Sint32 = Scalar<int32_t, WireType::kVarint>;
using Sint64 = Scalar<int64_t, WireType::kVarint>;
using Bool = Scalar<bool, WireType::kVarint>;
using Fixed32 = Scalar<uint32_t, WireType::kFixed32>;
using Fixed64 = Scalar<uint64_t, WireType::kFixed64>;
using Double = Scalar<double, WireType::kFixed64>;
template <typename E>
using Enum = Scalar<E, WireType::kVarint>;

struct Bytes {  // and strings
  static constexpr WireType kWireType = WireType::kLengthDelimited;
};
template <typename Message>
struct Nested {
  static constexpr WireType kWireType = WireType::kLengthDelimited;
};
template <typename Element>  // numbers: packed
struct Repeated {
  static constexpr WireType kWireType = WireType::kLengthDelimited;
};

template <typename Message, typename Type, uint32_t number>
struct FieldNumber {
  static constexpr uint32_t kNumber = number;
  static constexpr uint32_t kTag = number << 3 | static_cast<uint32_t>(Type::kWireType);
};

// V can only hold values of this type: a number of the same kind, with no more bits.
template <typename V, typename Type>
concept Fits = std::same_as<V, typename Type::Value> ||
    (std::integral<V>&& std::integral<typename Type::Value> && !std::same_as<V, bool> &&
     !std::same_as<typename Type::Value, bool> &&
     std::is_signed_v<V> == std::is_signed_v<typename Type::Value> &&
     sizeof(V) <= sizeof(typename Type::Value));

}  // namespace hindsight::wire
