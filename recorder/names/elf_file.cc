#include "recorder/names/elf_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hindsight::recorder {
namespace {

constexpr uint32_t kMaxSegments = 64;
constexpr uint32_t kMaxSections = 512;

bool IsFunction(const Elf64_Sym& symbol) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  return symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

// Readers expect malloc, not __libc_malloc.
size_t Underscores(const std::string& name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

ElfFile::ElfFile(ReadFile read) : read_(std::move(read)) {
  Elf64_Ehdr header;
  if (!read_(0, &header, sizeof(header)) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_phnum > kMaxSegments) {
    return;
  }
  segments_.resize(header.e_phnum);
  valid_ = read_(header.e_phoff, segments_.data(), segments_.size() * sizeof(Elf64_Phdr));
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return;
  std::vector<Elf64_Shdr> sections(std::min<uint32_t>(header.e_shnum, kMaxSections));
  if (!read_(header.e_shoff, sections.data(), sections.size() * sizeof(Elf64_Shdr))) return;
  for (const Elf64_Shdr& section : sections) {
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
        section.sh_link >= sections.size()) {
      continue;
    }
    symbol_tables_.push_back(section);
    string_tables_.push_back(sections[section.sh_link]);
  }
}

bool ElfFile::FindFunction(uint64_t address, Function& out) const {
  out = {};
  return FindSymbol(address, out) || FindByUnwindTable(address, out.start);
}

bool ElfFile::FindSymbol(uint64_t address, Function& out) const {
  return std::ranges::any_of(
      symbol_tables_, [&](const Elf64_Shdr& table) { return FindSymbolIn(table, address, out); });
}

bool ElfFile::FindSymbolIn(const Elf64_Shdr& table, uint64_t address, Function& out) const {
  constexpr size_t kAtOnce = 512, kMaxNames = 8;
  if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_size > kMaxSymbolBytes) return false;
  std::vector<Elf64_Sym> symbols(kAtOnce);
  std::vector<Elf64_Sym> best;  // one address may have several names
  const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
  for (uint64_t first = 0; first < count; first += kAtOnce) {
    symbols.resize(std::min<uint64_t>(kAtOnce, count - first));
    if (!read_(table.sh_offset + first * sizeof(Elf64_Sym), symbols.data(),
               symbols.size() * sizeof(Elf64_Sym))) {
      return false;
    }
    for (const Elf64_Sym& symbol : symbols) {
      if (!IsFunction(symbol) || address < symbol.st_value ||
          address - symbol.st_value >= symbol.st_size ||
          (!best.empty() && symbol.st_value < best.front().st_value)) {
        continue;
      }
      if (!best.empty() && symbol.st_value > best.front().st_value) best.clear();
      if (best.size() < kMaxNames) best.push_back(symbol);
    }
  }
  const Elf64_Shdr& strings = string_tables_[static_cast<size_t>(&table - symbol_tables_.data())];
  for (const Elf64_Sym& symbol : best) {
    std::string name = Name(strings, symbol.st_name);
    const bool is_first = out.name.empty();
    if (is_first || Underscores(name) < Underscores(out.name)) out = {symbol.st_value, name};
  }
  return !out.name.empty();
}

std::string ElfFile::Name(const Elf64_Shdr& strings, uint64_t place) const {
  if (place >= strings.sh_size) return {};
  std::string name(std::min<uint64_t>(strings.sh_size - place, kMaxNameBytes), '\0');
  if (!read_(strings.sh_offset + place, name.data(), name.size())) return {};
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}

bool ElfFile::OffsetOf(uint64_t address, uint64_t& offset) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      offset = segment.p_offset + (address - segment.p_vaddr);
      return true;
    }
  }
  return false;
}

// Uses the binary search table in .eh_frame_hdr, as all linkers write it: addresses of functions
// and of their entries, both relative to the header.
bool ElfFile::FindByUnwindTable(uint64_t address, uint64_t& start) const {
  struct Header {
    uint8_t version, pointer_encoding, count_encoding, table_encoding;
    int32_t section;
    uint32_t count;
  } header;
  struct Row {
    int32_t start, entry;
  } row = {};
  static_assert(sizeof(Header) == 12 && sizeof(Row) == 8);
  constexpr uint8_t kRelative = 0x1b, kUnsigned = 0x03, kHeaderRelative = 0x3b;

  const auto segment = std::ranges::find(segments_, PT_GNU_EH_FRAME, &Elf64_Phdr::p_type);
  if (segment == segments_.end() || !read_(segment->p_offset, &header, sizeof(header)) ||
      header.version != 1 || header.pointer_encoding != kRelative ||
      header.count_encoding != kUnsigned || header.table_encoding != kHeaderRelative) {
    return false;
  }
  const uint64_t place = segment->p_vaddr;
  uint64_t low = 0, high = header.count;  // the rows that begin at or before `address`
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    if (!read_(segment->p_offset + sizeof(header) + middle * sizeof(row), &row, sizeof(row))) {
      return false;
    }
    if (static_cast<int64_t>(place) + row.start <= static_cast<int64_t>(address)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0 ||
      !read_(segment->p_offset + sizeof(header) + (low - 1) * sizeof(row), &row, sizeof(row))) {
    return false;
  }
  start = place + static_cast<uint64_t>(int64_t{row.start});
  // An entry: its length, its CIE, the function's start (relative) and size. Code without an entry
  // counts as part of the function before it.
  uint64_t entry = 0;
  uint32_t size = 0;
  if (OffsetOf(place + static_cast<uint64_t>(int64_t{row.entry}), entry) &&
      read_(entry + 12, &size, sizeof(size)) && address - start >= size) {
    start += size;
  }
  return true;
}

}  // namespace hindsight::recorder
