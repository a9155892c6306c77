// Malformed library files and assembly images.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "recorder/names/code_view.h"
#include "recorder/names/elf_file.h"
#include "recorder/names/metadata_opener.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace recorder = hindsight::recorder;
  const auto read = [=](uint64_t offset, void* out, size_t bytes) {
    if (offset > size || bytes > size - offset) return false;
    if (bytes != 0) std::memcpy(out, data + offset, bytes);
    return true;
  };
  const recorder::ElfFile file(read);
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x1000}, ~uint64_t{0}}) {
    recorder::ElfFile::Function function;
    if (file.valid()) file.FindFunction(address, function);
    if (function.name.size() > 1024) std::abort();
  }
  constexpr uintptr_t kBase = 0x1000;
  const auto at_base = [=](uintptr_t address, void* out, size_t bytes) {
    return address >= kBase && read(address - kBase, out, bytes);
  };
  for (const bool is_flat : {false, true}) {
    recorder::PdbReference pdb;
    recorder::FindPdb(at_base, kBase, is_flat, pdb);
    if (pdb.path.size() > 4096) std::abort();
    const auto metadata = recorder::FindMetadata(at_base, kBase, is_flat);
    if (metadata.size() > size) std::abort();
  }
  return 0;
}
