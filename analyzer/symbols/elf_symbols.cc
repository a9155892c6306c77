#include "analyzer/symbols/elf_symbols.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analyzer/base/regular_file.h"
#include "analyzer/symbols/byte_reader.h"

namespace hindsight::analyzer::symbols {
namespace {

// From the ELF specification; not from <elf.h>, which other systems do not have.
constexpr uint64_t kHeaderBytes = 64, kSegmentBytes = 56, kSectionBytes = 64, kSymbolBytes = 24;
constexpr uint32_t kSymbolTable = 2, kNote = 7, kDynamicSymbols = 11;
constexpr uint32_t kLoad = 1, kExecutable = 1, kBuildIdNote = 3;
constexpr uint8_t kFunction = 2, kIndirectFunction = 10;
constexpr uint64_t kMostElfSections = 65'536, kMostSmallBytes = 1u << 20;

// Readers expect malloc, not __libc_malloc.
size_t Underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

std::string BuildIdIn(std::string_view notes) {
  const auto padded = [](uint32_t size) { return (uint64_t{size} + 3) & ~uint64_t{3}; };
  ByteReader reader(notes);
  while (reader.left() >= 12) {
    const uint32_t name_bytes = reader.U32(), bytes = reader.U32(), type = reader.U32();
    const std::string_view name = reader.Take(padded(name_bytes));
    const std::string_view content = reader.Take(padded(bytes));
    if (!reader.ok()) return {};
    if (type == kBuildIdNote && name == std::string_view("GNU\0", 4)) {
      return std::string(content.substr(0, bytes));
    }
  }
  return {};
}

}  // namespace

std::optional<ElfSymbols> ElfSymbols::Open(const std::string& path) {
  ElfSymbols symbols(path);
  if (!symbols.ReadHeaders()) return std::nullopt;
  return symbols;
}

// All of it, or an empty string.
std::string ElfSymbols::Read(uint64_t offset, uint64_t bytes) const {
  int error = 0;
  const std::optional<RegularFile> file = RegularFile::Open(path_, error);
  if (!file || bytes > kMostTableBytes || offset > file->size() || bytes > file->size() - offset) {
    return {};
  }
  std::string out(static_cast<size_t>(bytes), '\0');
  if (file->ReadAt(offset, std::as_writable_bytes(std::span(out))) != out.size()) return {};
  return out;
}

bool ElfSymbols::ReadHeaders() {
  const std::string header = Read(0, kHeaderBytes);
  if (!header.starts_with(std::string_view("\x7f"
                                           "ELF\x02\x01",
                                           6))) {
    return false;
  }
  ByteReader reader(header);
  reader.Skip(32);
  const uint64_t segments = reader.U64(), sections = reader.U64();
  reader.Skip(6);
  const uint16_t segment_bytes = reader.U16(), segment_count = reader.U16();
  const uint16_t section_bytes = reader.U16();
  uint64_t section_count = reader.U16();
  uint32_t names = reader.U16();

  const std::string segment_table =
      segment_bytes == kSegmentBytes ? Read(segments, segment_count * kSegmentBytes) : "";
  for (ByteReader at(segment_table); at.left() >= kSegmentBytes;) {
    const uint32_t type = at.U32(), flags = at.U32();
    at.Skip(8);
    const uint64_t address = at.U64();
    at.Skip(32);
    if (type == kLoad && (flags & kExecutable) != 0) code_start_ = std::min(code_start_, address);
  }
  if (section_bytes != kSectionBytes) return true;
  // If there are too many for the header, the first section contains the numbers.
  const std::string first = Read(sections, kSectionBytes);
  if (section_count == 0 && !first.empty()) {
    ByteReader at(first);
    at.Skip(32);
    section_count = at.U64();
    names = at.U32();
  }
  const std::string table =
      Read(sections, std::min(section_count, kMostElfSections) * kSectionBytes);
  std::vector<uint32_t> name_places;
  for (ByteReader at(table); at.left() >= kSectionBytes;) {
    Section section;
    name_places.push_back(at.U32());
    section.type = at.U32();
    at.Skip(16);
    section.offset = at.U64();
    section.bytes = at.U64();
    section.link = at.U32();
    at.Skip(20);
    sections_.push_back(section);
  }
  if (names < sections_.size()) {
    section_names_ =
        Read(sections_[names].offset, std::min(sections_[names].bytes, kMostSmallBytes));
  }
  uint64_t left = kMostSmallBytes;  // for all notes and links together
  for (size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    if (section.bytes > left) continue;
    if (section.type == kNote && build_id_.empty()) {
      left -= section.bytes;
      build_id_ = BuildIdIn(Read(section.offset, section.bytes));
    }
    const size_t place = name_places[i];
    if (place < section_names_.size() && debug_link_.empty() &&
        std::string_view(section_names_.c_str() + place) == ".gnu_debuglink") {
      left -= std::min(left, section.bytes);
      const std::string link = Read(section.offset, section.bytes);
      debug_link_ = link.substr(0, link.find('\0'));
      // Only a file name: it must not lead to other folders.
      if (debug_link_.find('/') != std::string::npos) debug_link_.clear();
    }
  }
  return true;
}

bool ElfSymbols::ReadTable(const Section& table) {
  if (table.link >= sections_.size()) return false;
  const Section& names = sections_[table.link];
  const std::string symbols = Read(table.offset, table.bytes);
  names_ = Read(names.offset, names.bytes);
  functions_.clear();
  for (ByteReader at(symbols); at.left() >= kSymbolBytes;) {
    Function function;
    function.name = at.U32();
    const uint8_t type = at.U8() & 0xf;
    at.Skip(1);
    const uint16_t section = at.U16();
    function.start = at.U64();
    function.bytes = at.U64();
    const bool is_function = type == kFunction || type == kIndirectFunction;
    if (is_function && section != 0 && function.name < names_.size()) {
      functions_.push_back(function);
    }
  }
  std::sort(functions_.begin(), functions_.end(), [this](const Function& a, const Function& b) {
    if (a.start != b.start) return a.start < b.start;
    const std::string_view x = NameOf(a), y = NameOf(b);
    return Underscores(x) != Underscores(y) ? Underscores(x) < Underscores(y) : x < y;
  });
  return !functions_.empty();
}

bool ElfSymbols::ReadFunctions() {
  for (const uint32_t type : {kSymbolTable, kDynamicSymbols}) {
    // A file has one table of each type at most.
    const auto table = std::find_if(sections_.begin(), sections_.end(),
                                    [type](const Section& one) { return one.type == type; });
    if (table != sections_.end() && ReadTable(*table)) return true;
  }
  return false;
}

std::string_view ElfSymbols::NameOf(const Function& function) const {
  const std::string_view rest = std::string_view(names_).substr(function.name);
  return rest.substr(0, rest.find('\0'));
}

std::string_view ElfSymbols::NameAt(uint64_t address) const {
  if (address == code_start_) return {};
  const auto after = std::upper_bound(
      functions_.begin(), functions_.end(), address,
      [](uint64_t place, const Function& function) { return place < function.start; });
  if (after == functions_.begin()) return {};
  // The first of several names, which is the plainest.
  const auto found = std::lower_bound(
      functions_.begin(), after, std::prev(after)->start,
      [](const Function& function, uint64_t place) { return function.start < place; });
  // Hand-written code may have no size.
  const bool is_inside = address - found->start < found->bytes || address == found->start;
  return is_inside ? NameOf(*found) : std::string_view();
}

}  // namespace hindsight::analyzer::symbols
