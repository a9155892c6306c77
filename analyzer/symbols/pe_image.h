// What an assembly's file says of its symbols: the debug directory of a PE image.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"

namespace hindsight::analyzer::symbols {

// Views of the file's bytes. A part that is damaged or absent is empty.
struct PeImage {
  std::string_view mvid;      // 16 bytes; empty: no assembly
  std::string pdb_id;         // GUID and stamp, 20 bytes; empty: no portable PDB belongs to it
  std::string_view pdb_path;  // where the compiler wrote that
  // A portable PDB inside of the file, as raw deflate.
  std::string_view embedded;
  uint32_t embedded_size = 0;  // bytes once it is inflated, as the file says
};

// An error if `file` is no PE image. `name` is for its sentence.
Result<PeImage> ParsePeImage(std::string_view file, std::string_view name);

}  // namespace hindsight::analyzer::symbols
