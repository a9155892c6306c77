// A small executable image (PE32+) with one section, in the layout of its file or of memory.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "recorder/names/mapped_image.h"

namespace hindsight::recorder {

struct TestImage {
  static constexpr uint32_t kRva = 0x2000, kFileOffset = 0x200;  // of the section
  static constexpr uint32_t kSectionBytes = 0x400;
  static constexpr size_t kOptional = 0x80 + 24;  // offset of the optional header

  explicit TestImage(bool flat) : is_flat(flat), section(flat ? kFileOffset : kRva) {
    Put<uint16_t>(0, 0x5a4d);
    Put<uint32_t>(0x3c, 0x80);
    Put<uint32_t>(0x80, 0x4550);
    Put<uint16_t>(0x80 + 6, 1);
    Put<uint16_t>(0x80 + 20, 240);
    Put<uint16_t>(kOptional, 0x20b);
    Put<uint32_t>(kOptional + 108, 16);
    const size_t header = kOptional + 240;
    Put(header + 12, kRva);
    Put(header + 16, kSectionBytes);
    Put(header + 20, kFileOffset);
  }

  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(T));
  }
  void PutDirectory(MappedImage::DirectoryIndex index, uint32_t rva, uint32_t size) {
    const size_t at = kOptional + 112 + static_cast<uint32_t>(index) * 8;
    Put(at, rva);
    Put(at + 4, size);
  }

  // As if it were at `base`.
  ReadMemory ReadAt(uintptr_t base) const {
    return [this, base](uintptr_t address, void* to, size_t size) {
      const uintptr_t offset = address - base;
      if (address < base || offset > bytes.size() || size > bytes.size() - offset) return false;
      std::memcpy(to, bytes.data() + offset, size);
      return true;
    };
  }

  const bool is_flat;
  const size_t section;  // where its bytes are
  std::vector<uint8_t> bytes = std::vector<uint8_t>(0x3000);
};

}  // namespace hindsight::recorder
