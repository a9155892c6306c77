// Reads DWARF-encoded numbers from untrusted bytes: beyond the end everything is 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace hindsight::recorder {

class DwarfReader {
 public:
  // `address`: of the first byte, for numbers relative to their own position.
  DwarfReader(std::span<const uint8_t> bytes, uintptr_t address)
      : bytes_(bytes), address_(address) {}

  bool ok() const { return ok_; }
  bool done() const { return !ok_ || at_ == bytes_.size(); }
  size_t at() const { return at_; }

  template <typename T>
  T Fixed() {
    T value = 0;
    if (const uint8_t* from = Take(sizeof(T))) std::memcpy(&value, from, sizeof(T));
    return value;
  }

  uint64_t Uleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const auto byte = Fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }

  int64_t Sleb() {
    uint64_t value = 0;
    for (uint32_t shift = 0;; shift += 7) {
      const auto byte = Fixed<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0 && shift + 7 < 64) value |= ~uint64_t{0} << (shift + 7);
      return static_cast<int64_t>(value);
    }
  }

  // An address in one of the DW_EH_PE encodings: absolute, or relative to its own position. 0 if it
  // is omitted or encoded otherwise; ok() is then false.
  uintptr_t Pointer(uint8_t encoding) {
    constexpr uint8_t kOmit = 0xff, kRelative = 0x10;
    if (encoding == kOmit) return Fail();
    const uintptr_t base = (encoding & 0x70) == kRelative ? address_ + at_ : 0;
    if ((encoding & 0x70) != kRelative && (encoding & 0x70) != 0) return Fail();
    if ((encoding & 0x80) != 0) return Fail();  // indirect: never used for a function's start
    return base + Value(encoding & 0x0f);
  }

  // The number alone, as used for the length of a function.
  uintptr_t Value(uint8_t format) {
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return Fixed<uint64_t>();
      case 0x02:
        return Fixed<uint16_t>();
      case 0x03:
        return Fixed<uint32_t>();
      case 0x0a:
        return static_cast<uintptr_t>(int64_t{Fixed<int16_t>()});
      case 0x0b:
        return static_cast<uintptr_t>(int64_t{Fixed<int32_t>()});
      default:
        return Fail();
    }
  }

  std::span<const uint8_t> Bytes(uint64_t size) {
    if (size > bytes_.size() - at_) {
      Fail();
      return {};
    }
    const auto taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

 private:
  uintptr_t Fail() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }
  const uint8_t* Take(size_t size) {
    const auto taken = Bytes(size);
    return taken.empty() ? nullptr : taken.data();
  }

  std::span<const uint8_t> bytes_;
  uintptr_t address_;
  size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace hindsight::recorder
