// Small ELF files with functions, a build id and a link to debug information, byte by byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hindsight {

struct ElfFunction {
  std::string name;
  uint64_t start = 0, bytes = 0;
};

struct ElfSection {
  std::string name;
  uint32_t type = 1;  // SHT_PROGBITS
  std::string content = "";
  uint32_t link = 0;  // index of another section; [0] is none, [1] has the names of all
};

// The content of notes, and of a symbol table whose names are in `names`, which it extends.
std::string BuildIdNote(const std::string& id);
std::string SymbolTable(const std::vector<ElfFunction>& functions, std::string& names);

// `sections` begin with number 2. Code begins at `code_start`.
std::string BuildElf(const std::vector<ElfSection>& sections, uint64_t code_start = 0x1000);

// The usual one: a symbol table, a build id and a link.
std::string BuildLibrary(const std::vector<ElfFunction>& functions, const std::string& build_id,
                         const std::string& debug_link);

}  // namespace hindsight
