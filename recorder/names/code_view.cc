#include "recorder/names/code_view.h"

#include <algorithm>
#include <cstring>

namespace hindsight::recorder {
namespace {

// The layouts are those of the PE format and of its additions for portable PDBs (dotnet/runtime,
// docs/design/specs/PE-COFF.md).
constexpr uint32_t kCodeViewMagic = 0x53445352;  // RSDS
constexpr uint32_t kCodeViewType = 2;
constexpr uint16_t kPortableMinorVersion = 0x504d;
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

bool ReadCodeView(const MappedImage& image, uint32_t place, uint32_t bytes, PdbReference& out) {
  CodeView code_view;
  if (place == 0 || bytes <= sizeof(CodeView) || !image.Read(place, code_view) ||
      code_view.magic != kCodeViewMagic) {
    return false;
  }
  std::memcpy(out.id.data(), code_view.guid, sizeof(code_view.guid));
  out.path.resize(std::min<size_t>(bytes - sizeof(CodeView), kMaxPdbPathBytes));
  if (!image.Read(place + sizeof(CodeView), out.path.data(), out.path.size())) return false;
  out.path.resize(std::min(out.path.find('\0'), out.path.size()));
  return true;
}

}  // namespace

bool FindPdb(const ReadMemory& read, uintptr_t base, bool is_flat, PdbReference& out) {
  out = {};
  MappedImage image(read, base, is_flat);
  if (base == 0 || !image.Open()) return false;
  const MappedImage::Directory debug = image.Find(MappedImage::DirectoryIndex::kDebug);
  const uint32_t entries =
      std::min(static_cast<uint32_t>(debug.bytes / sizeof(DebugEntry)), kMaxDebugEntries);
  const uint32_t directory = image.PlaceOf(debug.rva);
  for (uint32_t i = 0; directory != 0 && i < entries; ++i) {
    DebugEntry entry;
    if (!image.Read(directory + i * sizeof(DebugEntry), entry)) return false;
    // An image with code compiled ahead has one more entry of the type, for that code.
    if (entry.type != kCodeViewType || entry.minor_version != kPortableMinorVersion) continue;
    std::memcpy(out.id.data() + sizeof(CodeView::guid), &entry.stamp, sizeof(entry.stamp));
    return ReadCodeView(image, is_flat ? entry.file_offset : entry.rva, entry.size, out);
  }
  return false;
}

}  // namespace hindsight::recorder
