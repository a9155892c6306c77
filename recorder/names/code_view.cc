#include "recorder/names/code_view.h"

#include <algorithm>
#include <cstring>

namespace hindsight::recorder {
namespace {

// The layouts are those of the PE format (learn.microsoft.com/windows/win32/debug/pe-format) and of
// its additions for portable PDBs (dotnet/runtime, docs/design/specs/PE-COFF.md).
constexpr uint16_t kDosMagic = 0x5a4d;
constexpr uint32_t kPeMagic = 0x4550;
constexpr uint16_t kPe32 = 0x10b, kPe32Plus = 0x20b;
constexpr uint32_t kCodeViewMagic = 0x53445352;  // RSDS
constexpr uint32_t kCodeViewType = 2;
constexpr uint16_t kPortableMinorVersion = 0x504d;
constexpr uint32_t kDebugDirectoryIndex = 6;
constexpr size_t kSectionBytes = 40;
constexpr uint32_t kMaxSections = 96;
constexpr uint32_t kMaxDebugEntries = 32;
constexpr size_t kMaxPdbPathBytes = 4096;

struct DebugEntry {
  uint32_t characteristics;
  uint32_t stamp;
  uint16_t major_version, minor_version;
  uint32_t type;
  uint32_t size;
  uint32_t rva;
  uint32_t file_offset;
};
static_assert(sizeof(DebugEntry) == 28);

struct CodeView {
  uint32_t magic;
  uint8_t guid[16];
  uint32_t age;
};
static_assert(sizeof(CodeView) == 24);

class Image {
 public:
  Image(const ReadMemory& read, uintptr_t base, bool is_flat)
      : read_(read), base_(base), is_flat_(is_flat) {}

  bool FindPdb(PdbReference& out) {
    uint32_t rva = 0, size = 0;
    if (!ReadHeaders(rva, size)) return false;
    const uint32_t entries =
        std::min(static_cast<uint32_t>(size / sizeof(DebugEntry)), kMaxDebugEntries);
    const uint32_t directory = PlaceOf(rva);
    for (uint32_t i = 0; directory != 0 && i < entries; ++i) {
      DebugEntry entry;
      if (!Read(directory + i * sizeof(DebugEntry), entry)) return false;
      // An image with code compiled ahead has one more entry of the type, for that code.
      if (entry.type == kCodeViewType && entry.minor_version == kPortableMinorVersion) {
        return ReadCodeView(entry, out);
      }
    }
    return false;
  }

 private:
  template <typename T>
  bool Read(uint64_t offset, T& out) const {
    return read_(base_ + offset, &out, sizeof(T));
  }

  bool ReadHeaders(uint32_t& debug_rva, uint32_t& debug_size) {
    uint16_t magic = 0;
    uint32_t pe = 0, signature = 0;
    if (!Read(0, magic) || magic != kDosMagic || !Read(0x3c, pe) || !Read(pe, signature) ||
        signature != kPeMagic) {
      return false;
    }
    uint16_t sections = 0, optional_bytes = 0, kind = 0;
    const uint64_t optional = uint64_t{pe} + 24;
    if (!Read(pe + uint64_t{6}, sections) || !Read(pe + uint64_t{20}, optional_bytes) ||
        !Read(optional, kind) || (kind != kPe32 && kind != kPe32Plus)) {
      return false;
    }
    sections_ = optional + optional_bytes;
    section_count_ = std::min<uint32_t>(sections, kMaxSections);
    const uint64_t directories = optional + (kind == kPe32 ? 96 : 112);
    uint32_t directory_count = 0;
    return Read(directories - 4, directory_count) && directory_count > kDebugDirectoryIndex &&
           Read(directories + kDebugDirectoryIndex * 8, debug_rva) &&
           Read(directories + kDebugDirectoryIndex * 8 + 4, debug_size);
  }

  // Offset of an RVA from the image's base; 0: nowhere.
  uint32_t PlaceOf(uint32_t rva) const {
    if (!is_flat_) return rva;
    for (uint32_t i = 0; i < section_count_; ++i) {
      uint32_t sizes[4];  // virtual size, RVA, size in the file, offset in the file
      if (!Read(sections_ + i * kSectionBytes + 8, sizes)) return 0;
      if (rva >= sizes[1] && rva - sizes[1] < sizes[2]) return rva - sizes[1] + sizes[3];
    }
    return 0;
  }

  bool ReadCodeView(const DebugEntry& entry, PdbReference& out) const {
    const uint32_t place = is_flat_ ? entry.file_offset : entry.rva;
    CodeView code_view;
    if (place == 0 || entry.size <= sizeof(CodeView) || !Read(place, code_view) ||
        code_view.magic != kCodeViewMagic) {
      return false;
    }
    std::memcpy(out.id.data(), code_view.guid, sizeof(code_view.guid));
    std::memcpy(out.id.data() + sizeof(code_view.guid), &entry.stamp, sizeof(entry.stamp));
    out.path.resize(std::min<size_t>(entry.size - sizeof(CodeView), kMaxPdbPathBytes));
    if (!read_(base_ + place + sizeof(CodeView), out.path.data(), out.path.size())) return false;
    out.path.resize(std::min(out.path.find('\0'), out.path.size()));
    return true;
  }

  const ReadMemory& read_;
  const uintptr_t base_;
  const bool is_flat_;
  uint64_t sections_ = 0;  // offset of the section table
  uint32_t section_count_ = 0;
};

}  // namespace

bool FindPdb(const ReadMemory& read, uintptr_t base, bool is_flat, PdbReference& out) {
  out = {};
  return base != 0 && Image(read, base, is_flat).FindPdb(out);
}

}  // namespace hindsight::recorder
