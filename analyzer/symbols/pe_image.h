// What an assembly's file says about its symbols: the debug directory of a PE image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace hindsight::analyzer::symbols {

// Views of the file's bytes. Damaged or missing parts are empty.
struct PeImage {
  std::string_view mvid;      // 16 bytes; empty: not an assembly
  std::string pdb_id;         // GUID and stamp, 20 bytes; empty: it has no portable PDB
  std::string_view pdb_path;  // where the compiler wrote the PDB
  // A portable PDB inside the file, as raw deflate.
  std::string_view embedded;
  uint32_t embedded_size = 0;  // bytes when decompressed, according to the file
};

// An error if `file` is not a PE image. `name` is for the error message.
Result<PeImage> ParsePeImage(std::string_view file, std::string_view name);

}  // namespace hindsight::analyzer::symbols
