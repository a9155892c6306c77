// Reads little-endian values from untrusted bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace hindsight::analyzer::symbols {

// Reading beyond the end yields zeros and empty texts, and ok() is false from then on.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  size_t left() const { return bytes_.size() - at_; }
  size_t at() const { return at_; }

  uint8_t U8() { return Fixed<uint8_t>(); }
  uint16_t U16() { return Fixed<uint16_t>(); }
  uint32_t U32() { return Fixed<uint32_t>(); }
  uint64_t U64() { return Fixed<uint64_t>(); }

  // A compressed unsigned integer of ECMA-335, II.23.2: one, two or four bytes, big endian.
  uint32_t Compressed() {
    const uint32_t first = U8();
    if ((first & 0x80) == 0) return first;
    if ((first & 0x40) == 0) return (first & 0x3f) << 8 | U8();
    if ((first & 0x20) != 0) return Fail();
    uint32_t value = first & 0x1f;
    for (int i = 0; i < 3; ++i) value = value << 8 | U8();
    return value;
  }

  // The signed version: the sign is the lowest bit, and the rest is truncated to 6, 13 or 28 bits.
  int32_t CompressedSigned() {
    const size_t begin = at_;
    const uint32_t value = Compressed();
    const size_t length = at_ - begin;
    const int32_t magnitude = static_cast<int32_t>(value >> 1);
    if ((value & 1) == 0) return magnitude;
    return magnitude - (length == 1 ? 1 << 6 : length == 2 ? 1 << 13 : 1 << 28);
  }

  std::string_view Take(size_t size) {
    if (size > left()) return Fail(), std::string_view();
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  void Skip(size_t size) { Take(size); }

  // The bytes before the next zero, which is skipped.
  std::string_view Text() {
    const size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return Fail(), std::string_view();
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  template <typename T>
  T Fixed() {
    T value = 0;
    const std::string_view bytes = Take(sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  uint32_t Fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

// `bytes` from `offset` on, at most `size` of them; empty if they are not all inside.
inline std::string_view Slice(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.substr(offset, size);
}

}  // namespace hindsight::analyzer::symbols
