// Which portable PDB belongs to a loaded assembly: the CodeView entry of its debug directory.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "recorder/names/mapped_image.h"

namespace hindsight::recorder {

struct PdbReference {
  std::array<uint8_t, 20>
      id;            // GUID as stored, then the stamp: the id in the PDB's own #Pdb stream
  std::string path;  // where the compiler wrote it, or its name; UTF-8
};

// For the image at `base`: laid out as in its file (`is_flat`), or with its sections at their
// addresses. Nothing in it is trusted. False: it has no portable PDB, or is not an image.
bool FindPdb(const ReadMemory& read, uintptr_t base, bool is_flat, PdbReference& out);

}  // namespace hindsight::recorder
