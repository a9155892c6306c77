// FNV-1a, 64 bits: for tables and identities whose inputs are not chosen by an attacker.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hindsight::recorder {

class FnvHash {
 public:
  // A byte, or a code unit.
  void Add(uint64_t unit) { value_ = (value_ ^ unit) * 0x100000001b3u; }
  void AddBytes(const void* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) Add(static_cast<const uint8_t*>(bytes)[i]);
  }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace hindsight::recorder
