// A portable executable (PE) in memory: a library or program of Windows, or an assembly on any
// system.
//
// Nothing in it is trusted, and it may be unmapped at any time: it is read by a function that
// copies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

namespace hindsight::recorder {

// Copies memory; false where it cannot be read.
using ReadMemory = std::function<bool(uintptr_t address, void* out, size_t size)>;

class MappedImage {
 public:
  // Of the image at `base`: as it is in its file (`is_flat`), or with its sections where they
  // belong. `read` must outlive it.
  MappedImage(const ReadMemory& read, uintptr_t base, bool is_flat = false)
      : read_(read), base_(base), is_flat_(is_flat) {}

  // False: it is no image. Once, before all else.
  bool Open();

  uintptr_t base() const { return base_; }
  uint32_t bytes() const { return bytes_; }  // where its sections belong
  uint32_t stamp() const { return stamp_; }  // of its contents, or of the time when it was made
  // What another image at the same address would not have.
  std::array<uint32_t, 2> identity() const { return {stamp_, bytes_}; }

  struct Directory {
    uint32_t rva = 0, bytes = 0;
  };
  enum class DirectoryIndex : uint32_t { kExports = 0, kExceptions = 3, kDebug = 6, kClr = 14 };
  Directory Find(DirectoryIndex index) const;  // zeros: it has none

  // Offset of an RVA from `base`; 0: nowhere.
  uint32_t PlaceOf(uint32_t rva) const;
  bool Read(uint64_t offset, void* out, size_t bytes) const {
    return read_(base_ + offset, out, bytes);
  }
  template <typename T>
  bool Read(uint64_t offset, T& out) const {
    return Read(offset, &out, sizeof(T));
  }

  // The function of x64 that holds an RVA, by the table of those that have unwind information. In
  // between are others, which keep nothing on the stack: those have no `unwind`, and may be
  // several.
  struct Function {
    uint32_t start = 0, end = 0;
    uint32_t unwind = 0;
  };
  bool FindFunction(uint32_t rva, Function& out) const;  // false: it has no table

  // The last exported name from `from` to `rva`; an empty one: there is none.
  struct Export {
    uint32_t rva = 0;
    std::string name;
  };
  Export FindExport(uint32_t from, uint32_t rva) const;

 private:
  const ReadMemory& read_;
  const uintptr_t base_;
  const bool is_flat_;
  uint32_t bytes_ = 0, stamp_ = 0;
  uint64_t directories_ = 0;  // offset of the table
  uint32_t directory_count_ = 0;
  uint64_t sections_ = 0;  // offset of the section table
  uint32_t section_count_ = 0;
};

}  // namespace hindsight::recorder
