#include "recorder/names/elf_file.h"

#include <algorithm>
#include <cstring>
#include <span>
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
  return FindSymbol(address, out) || FindByUnwindTable(address, out);
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
      out.same = {0, 0};
      return false;
    }
    for (const Elf64_Sym& symbol : symbols) {
      if (!IsFunction(symbol) || symbol.st_size > UINT64_MAX - symbol.st_value) continue;
      const Range range{symbol.st_value, symbol.st_value + symbol.st_size};
      if (!range.Has(address)) {
        if (symbol.st_size != 0) out.same.CutOff(range, address);
        continue;
      }
      out.same.from = std::max(out.same.from, range.from);
      out.same.to = std::min(out.same.to, range.to);
      if (!best.empty() && symbol.st_value < best.front().st_value) continue;
      if (!best.empty() && symbol.st_value > best.front().st_value) best.clear();
      if (best.size() < kMaxNames) best.push_back(symbol);
    }
  }
  const Elf64_Shdr& strings = string_tables_[static_cast<size_t>(&table - symbol_tables_.data())];
  for (const Elf64_Sym& symbol : best) {
    std::string name = Name(strings, symbol.st_name);
    const bool is_first = out.name.empty();
    if (!is_first && Underscores(name) >= Underscores(out.name)) continue;
    out.start = symbol.st_value;
    out.name = std::move(name);
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
bool ElfFile::FindByUnwindTable(uint64_t address, Function& out) const {
  struct Header {
    uint8_t version, pointer_encoding, count_encoding, table_encoding;
    int32_t section;
    uint32_t count;
  } header;
  struct Row {
    int32_t start, entry;
  };
  static_assert(sizeof(Header) == 12 && sizeof(Row) == 8);
  constexpr uint8_t kRelative = 0x1b, kUnsigned = 0x03, kHeaderRelative = 0x3b;
  constexpr uint64_t kAtOnce = 256;  // rows

  const auto segment = std::ranges::find(segments_, PT_GNU_EH_FRAME, &Elf64_Phdr::p_type);
  if (segment == segments_.end()) return false;
  const Range by_symbols = std::exchange(out.same, Range{0, 0});  // until all reads have succeeded
  if (!read_(segment->p_offset, &header, sizeof(header))) return false;
  if (header.version != 1 || header.pointer_encoding != kRelative ||
      header.count_encoding != kUnsigned || header.table_encoding != kHeaderRelative) {
    out.same = by_symbols;
    return false;
  }
  const uint64_t place = segment->p_vaddr;
  const auto read = [&](uint64_t first, std::span<Row> rows) {
    return read_(segment->p_offset + sizeof(header) + first * sizeof(Row), rows.data(),
                 rows.size_bytes());
  };
  const auto start_of = [&](const Row& row) {
    return place + static_cast<uint64_t>(int64_t{row.start});
  };
  const auto is_behind = [&](const Row& row) {
    return static_cast<int64_t>(start_of(row)) > static_cast<int64_t>(address);
  };
  // The last row that begins at or before `address` is in [low, high), if there is one.
  uint64_t low = 0, high = header.count;
  while (high - low > kAtOnce) {
    const uint64_t middle = (low + high) / 2;
    Row row;
    if (!read(middle, {&row, 1})) return false;
    (is_behind(row) ? high : low) = middle;
  }
  std::vector<Row> rows(std::min<uint64_t>(high + 1, header.count) - low);
  if (!rows.empty() && !read(low, rows)) return false;
  const auto next = std::ranges::find_if(rows, is_behind);
  if (next == rows.begin()) {
    out.same = by_symbols;
    if (!rows.empty()) out.same.to = std::min(out.same.to, start_of(rows.front()));
    return false;
  }
  const Row row = next[-1];
  out.start = start_of(row);
  Range same = by_symbols;
  same.from = std::max(same.from, out.start);
  if (next != rows.end()) same.to = std::min(same.to, start_of(*next));
  // An entry: its length, its CIE, the function's start (relative) and size. Code without an entry
  // counts as part of the function before it.
  uint64_t entry = 0;
  uint32_t size = 0;
  if (OffsetOf(place + static_cast<uint64_t>(int64_t{row.entry}), entry)) {
    if (!read_(entry + 12, &size, sizeof(size))) return true;
    const uint64_t end = out.start + size;
    if (address - out.start >= size) {
      out.start = end;
      same.from = std::max(same.from, end);
    } else {
      same.to = std::min(same.to, end);
    }
  }
  out.same = same;
  return true;
}

}  // namespace hindsight::recorder
