// Names of native functions that the recorder could not determine, because their library is
// stripped: from files with debug information, in the layouts of Microsoft (NAME.dbg) and of Linux
// distributions (.build-id/xx/yyyy.debug, .gnu_debuglink).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/symbols/elf_symbols.h"
#include "analyzer/symbols/symbol_folders.h"

namespace hindsight::analyzer {

// Searches for a library's file once, when it is first asked about. Not thread-safe.
class NativeSymbols {
 public:
  // Searches `folders` and their subfolders, /usr/lib/debug, and next to the libraries as recorded.
  explicit NativeSymbols(std::vector<std::string> folders);

  // The symbol of the function at `rva`, an offset from the library's load address. Empty: unknown.
  // Only a file with the library's own build id (bytes) is used.
  std::string_view NameOf(std::string_view path, std::string_view build_id, uint64_t rva);

 private:
  std::vector<std::string> PlacesOf(std::string_view path, std::string_view build_id);
  std::optional<symbols::ElfSymbols> Find(std::string_view path, std::string_view build_id);

  symbols::SymbolFolders folders_;
  // By build id; nullopt: no file was found.
  std::map<std::string, std::optional<symbols::ElfSymbols>, std::less<>> libraries_;
};

}  // namespace hindsight::analyzer
