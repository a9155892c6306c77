#include "tests/support/elf_builder.h"

namespace hindsight {
namespace {

void Put(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i, value >>= 8) out += static_cast<char>(value);
}

std::string Padded(std::string text) {
  while (text.size() % 4 != 0) text += '\0';
  return text;
}

constexpr uint64_t kHeaderBytes = 64, kSegmentBytes = 56, kSectionBytes = 64;
constexpr uint32_t kNames = 3, kSymbols = 2, kNote = 7;

}  // namespace

std::string BuildIdNote(const std::string& id) {
  std::string out;
  Put(out, 4, 4);
  Put(out, id.size(), 4);
  Put(out, 3, 4);
  return out + std::string("GNU\0", 4) + Padded(id);
}

std::string SymbolTable(const std::vector<ElfFunction>& functions, std::string& names) {
  std::string out(24, '\0');
  for (const ElfFunction& function : functions) {
    Put(out, names.size(), 4);
    Put(out, 0x12, 1);  // a global function
    Put(out, 0, 1);
    Put(out, 1, 2);  // in some section
    Put(out, function.start, 8);
    Put(out, function.bytes, 8);
    names += function.name + '\0';
  }
  return out;
}

std::string BuildElf(const std::vector<ElfSection>& sections, uint64_t code_start) {
  std::string names(1, '\0');
  std::string contents, table(kSectionBytes, '\0');
  const auto add = [&](const ElfSection& section, uint64_t name) {
    Put(table, name, 4);
    Put(table, section.type, 4);
    Put(table, 0, 16);  // flags, address
    Put(table, kHeaderBytes + kSegmentBytes + contents.size(), 8);
    Put(table, section.content.size(), 8);
    Put(table, section.link, 4);
    Put(table, 0, 20);
    contents += section.content;
  };
  std::vector<uint64_t> places;
  for (const ElfSection& section : sections) {
    places.push_back(names.size());
    names += section.name + '\0';
  }
  add({"", kNames, names}, 0);
  for (size_t i = 0; i < sections.size(); ++i) add(sections[i], places[i]);

  std::string out(
      "\x7f"
      "ELF\2\1\1",
      7);
  out.resize(16);
  Put(out, 3, 2);   // a shared object
  Put(out, 62, 2);  // x86-64
  Put(out, 1, 4);   // version
  Put(out, 0, 8);   // entry
  Put(out, kHeaderBytes, 8);
  Put(out, kHeaderBytes + kSegmentBytes + contents.size(), 8);
  Put(out, 0, 4);
  Put(out, kHeaderBytes, 2);
  Put(out, kSegmentBytes, 2);
  Put(out, 1, 2);
  Put(out, kSectionBytes, 2);
  Put(out, sections.size() + 2, 2);
  Put(out, 1, 2);  // names of sections
  Put(out, 1, 4);  // a loaded, executable segment
  Put(out, 5, 4);
  Put(out, 0, 8);
  Put(out, code_start, 8);
  Put(out, 0, 32);
  return out + contents + table;
}

std::string BuildLibrary(const std::vector<ElfFunction>& functions, const std::string& build_id,
                         const std::string& debug_link) {
  std::string names(1, '\0');
  const std::string symbols = SymbolTable(functions, names);
  return BuildElf({{".symtab", kSymbols, symbols, 3},
                   {".strtab", kNames, names},
                   {".note.gnu.build-id", kNote, BuildIdNote(build_id)},
                   {".gnu_debuglink", 1, Padded(debug_link + '\0') + "\1\2\3\4"}});
}

}  // namespace hindsight
