// Reads the payload of a runtime event: little endian, packed, UTF-16 strings with a final NUL
// (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man). Bounds-checked: missing values are zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace hindsight::recorder {

template <typename T>
T ReadPayload(std::span<const uint8_t> payload, size_t offset) {
  T value{};
  if (offset <= payload.size() && payload.size() - offset >= sizeof(T)) {
    std::memcpy(&value, payload.data() + offset, sizeof(T));
  }
  return value;
}

// A value from the runtime as one of the schema's enums, with the same number. A value that the
// schema does not know stays unknown.
template <typename Enum>
constexpr Enum EnumFrom(uint32_t value) {
  return static_cast<Enum>(std::min<uint32_t>(value, UINT8_MAX));
}

// The offset after the string that begins at `offset`; the payload's end if it is unterminated.
inline size_t AfterText(std::span<const uint8_t> payload, size_t offset) {
  for (; offset + sizeof(char16_t) <= payload.size(); offset += sizeof(char16_t)) {
    if (payload[offset] == 0 && payload[offset + 1] == 0) return offset + sizeof(char16_t);
  }
  return payload.size();
}

// Whether a text of a payload, without its final NUL, is this one.
inline bool IsText(std::span<const uint8_t> text, std::u16string_view expected) {
  const size_t bytes = expected.size() * sizeof(char16_t);
  return text.size() == bytes && std::memcmp(text.data(), expected.data(), bytes) == 0;
}

}  // namespace hindsight::recorder
