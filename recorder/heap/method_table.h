// A MethodTable as the garbage collector sees it: what it says about the objects of its class.
//
// The layout is a contract between the runtime and its collectors (dotnet/runtime,
// src/coreclr/gc/env/gcenv.object.h, src/coreclr/gc/gcdesc.h) and is the same in .NET 8 to 10. The
// caller guarantees that the memory is readable. Any thread; async-signal-safe.
#pragma once

#include <cstdint>
#include <cstring>

namespace hindsight::recorder {

template <typename T>
T ReadAt(uint64_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(T));
  return value;
}

// The flag of an unloadable class, by the runtime's major version. It is not part of that contract:
// read from 8.0.31, 9.0.20 and 10.0.12. For an unknown version: all flags, so that every class
// counts as unloadable.
constexpr uint32_t CollectibleFlag(uint32_t major) {
  return major == 8 ? 0x10000000 : major == 9 || major == 10 ? 0x00200000 : ~0u;
}

class MethodTable {
 public:
  static constexpr uint64_t kBytes = 24;  // bytes read, from `address` on

  explicit MethodTable(uint64_t address)
      : address_(address),
        flags_(ReadAt<uint32_t>(address)),
        base_bytes_(ReadAt<uint32_t>(address + 4)) {}

  uint64_t address() const { return address_; }
  uint64_t parent() const { return ReadAt<uint64_t>(address_ + 16); }
  uint32_t base_bytes() const { return base_bytes_; }  // of an object, header included
  uint32_t component_bytes() const { return (flags_ & kHasComponents) != 0 ? flags_ & 0xffff : 0; }
  bool has_references() const { return (flags_ & kContainsReferences) != 0; }
  bool is_finalizable() const { return (flags_ & kFinalizer) != 0; }
  // `flag`: CollectibleFlag of the runtime.
  bool is_collectible(uint32_t flag) const { return (flags_ & flag) != 0; }
  bool is_array() const { return (flags_ & kCategory) == kArray; }
  bool is_value_type() const { return (flags_ & kCategory) == kValueType; }
  bool is_string() const { return component_bytes() == 2 && !is_array() && parent() != 0; }
  // The filler between objects: no parent, and one byte per component.
  bool is_free() const { return component_bytes() == 1 && !is_array() && parent() == 0; }

 private:
  static constexpr uint32_t kHasComponents = 0x80000000;
  static constexpr uint32_t kContainsReferences = 0x01000000;
  static constexpr uint32_t kFinalizer = 0x00100000;
  static constexpr uint32_t kCategory = 0x000c0000;
  static constexpr uint32_t kArray = 0x00080000;
  static constexpr uint32_t kValueType = 0x00040000;

  uint64_t address_;
  uint32_t flags_;
  uint32_t base_bytes_;
};

// The lowest three bits of an object's first word belong to the collector.
inline uint64_t MethodTableOf(uint64_t object) { return ReadAt<uint64_t>(object) & ~uint64_t{7}; }

inline uint32_t LengthOf(uint64_t object) { return ReadAt<uint32_t>(object + 8); }

constexpr uint64_t kStringChars = 12;  // bytes from a string's address to its UTF-16 code units

}  // namespace hindsight::recorder
