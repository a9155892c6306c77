// Names of native functions that the recorder could not tell, because its library has been stripped
// of them: from files with debug information, as Microsoft (NAME.dbg) and Linux distributions
// (.build-id/xx/yyyy.debug, .gnu_debuglink) lay them out.
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

// Finds the file of a library when it is asked about, once. One thread.
class NativeSymbols {
 public:
  // Looks in `folders` and all below them, in /usr/lib/debug, and beside the libraries as recorded.
  explicit NativeSymbols(std::vector<std::string> folders);

  // The symbol of the function at `rva`, bytes from where the library was loaded. Empty: none is
  // known. Only a file with the library's own build id (bytes) is asked.
  std::string_view NameOf(std::string_view path, std::string_view build_id, uint64_t rva);

 private:
  std::vector<std::string> PlacesOf(std::string_view path, std::string_view build_id);
  std::optional<symbols::ElfSymbols> Find(std::string_view path, std::string_view build_id);

  symbols::SymbolFolders folders_;
  // By build id; none: no file was found.
  std::map<std::string, std::optional<symbols::ElfSymbols>, std::less<>> libraries_;
};

}  // namespace hindsight::analyzer
