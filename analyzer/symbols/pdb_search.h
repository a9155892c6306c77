// Finds the PDB that belongs to a module, and accepts no other.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "analyzer/symbols/portable_pdb.h"
#include "analyzer/symbols/symbol_folders.h"

namespace hindsight::analyzer::symbols {

// A module as it was recorded.
struct WantedPdb {
  std::string_view module_path;
  std::string_view mvid;      // 16 bytes
  std::string_view pdb_id;    // 20 bytes; empty: not recorded, or there is none
  std::string_view pdb_path;  // where the compiler wrote it
};

struct FoundPdb {
  std::unique_ptr<PortablePdb> pdb;  // null: there is none
  // If there is none: a file that has the right name but belongs to another build; empty: none
  // either.
  std::string other_build;
};

// Searches next to the module, where the compiler wrote the PDB, in the folders, and inside the
// module's own file in these places. A file is accepted if its id is `pdb_id`; if that was not
// recorded, the id is taken from a file of the module with the same MVID. Files larger than
// kMostFileBytes are skipped.
FoundPdb FindPdb(const WantedPdb& wanted, SymbolFolders& folders);

inline constexpr size_t kMostFileBytes = size_t{512} << 20;

}  // namespace hindsight::analyzer::symbols
