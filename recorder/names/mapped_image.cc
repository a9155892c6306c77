#include "recorder/names/mapped_image.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace hindsight::recorder {
namespace {

// The layouts are those of learn.microsoft.com/windows/win32/debug/pe-format.
constexpr uint16_t kDosMagic = 0x5a4d;
constexpr uint32_t kPeMagic = 0x4550;
constexpr uint16_t kPe32 = 0x10b, kPe32Plus = 0x20b;
constexpr size_t kSectionBytes = 40;
constexpr uint32_t kMaxSections = 96;
constexpr uint32_t kMaxExports = 64u << 10;
constexpr size_t kMaxNameBytes = 1024;

struct ExportDirectory {
  uint32_t characteristics, stamp, version, name, ordinal_base;
  uint32_t functions, names;
  uint32_t function_rvas, name_rvas, name_ordinals;
};
static_assert(sizeof(ExportDirectory) == 40);

}  // namespace

bool MappedImage::Open() {
  uint16_t magic = 0, sections = 0, optional_bytes = 0, kind = 0;
  uint32_t pe = 0, signature = 0;
  if (!Read(0, magic) || magic != kDosMagic || !Read(0x3c, pe) || !Read(pe, signature) ||
      signature != kPeMagic) {
    return false;
  }
  const uint64_t optional = uint64_t{pe} + 24;
  if (!Read(pe + uint64_t{6}, sections) || !Read(pe + uint64_t{8}, stamp_) ||
      !Read(pe + uint64_t{20}, optional_bytes) || !Read(optional, kind) ||
      (kind != kPe32 && kind != kPe32Plus) || !Read(optional + 56, bytes_)) {
    return false;
  }
  sections_ = optional + optional_bytes;
  section_count_ = std::min<uint32_t>(sections, kMaxSections);
  directories_ = optional + (kind == kPe32 ? 96 : 112);
  return Read(directories_ - 4, directory_count_);
}

MappedImage::Directory MappedImage::Find(DirectoryIndex index) const {
  Directory directory;
  const auto number = static_cast<uint32_t>(index);
  if (number >= directory_count_ || !Read(directories_ + number * sizeof(Directory), directory)) {
    return {};
  }
  return directory;
}

uint32_t MappedImage::PlaceOf(uint32_t rva) const {
  if (!is_flat_) return rva;
  for (uint32_t i = 0; i < section_count_; ++i) {
    uint32_t sizes[4];  // virtual size, RVA, size in the file, offset in the file
    if (!Read(sections_ + i * kSectionBytes + 8, sizes)) return 0;
    if (rva >= sizes[1] && rva - sizes[1] < sizes[2]) return rva - sizes[1] + sizes[3];
  }
  return 0;
}

bool MappedImage::FindFunction(uint32_t rva, Function& out) const {
  const Directory directory = Find(DirectoryIndex::kExceptions);
  const uint64_t table = PlaceOf(directory.rva);
  uint32_t low = 0, high = directory.bytes / sizeof(Function);
  if (table == 0 || high == 0) return false;
  out = {0, bytes_, 0};
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    Function function;
    if (!Read(table + uint64_t{middle} * sizeof(Function), function)) return false;
    if (rva < function.start) {
      out.end = function.start;
      high = middle;
    } else if (rva >= function.end) {
      out.start = function.end;
      low = middle + 1;
    } else {
      out = function;
      return true;
    }
  }
  return true;
}

MappedImage::Export MappedImage::FindExport(uint32_t from, uint32_t rva) const {
  const Directory directory = Find(DirectoryIndex::kExports);
  ExportDirectory exports;
  if (directory.rva == 0 || !Read(PlaceOf(directory.rva), exports)) return {};
  std::vector<uint32_t> functions(std::min(exports.functions, kMaxExports));
  std::vector<uint32_t> names(std::min(exports.names, kMaxExports));
  std::vector<uint16_t> ordinals(names.size());
  const auto read = [this](uint32_t table, auto& out) {
    return Read(PlaceOf(table), out.data(), out.size() * sizeof(out[0]));
  };
  if (names.empty() || !read(exports.function_rvas, functions) || !read(exports.name_rvas, names) ||
      !read(exports.name_ordinals, ordinals)) {
    return {};
  }
  Export last;
  uint32_t name = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (ordinals[i] >= functions.size()) continue;
    const uint32_t at = functions[ordinals[i]];
    if (at < from || at > rva || (name != 0 && at <= last.rva)) continue;
    last.rva = at;
    name = names[i];
  }
  char letter = 0;
  for (uint64_t at = PlaceOf(name); name != 0 && last.name.size() < kMaxNameBytes; ++at) {
    if (!Read(at, letter) || letter == '\0') break;
    last.name += letter;
  }
  return last;
}

}  // namespace hindsight::recorder
