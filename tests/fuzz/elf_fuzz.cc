// Any bytes as a library or its debug file: never a crash, and no name, id or link that is not in
// the input.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "analyzer/symbols/elf_symbols.h"
#include "tests/fuzz/memory_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using hindsight::analyzer::symbols::ElfSymbols;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto require_in_input = [bytes](std::string_view part) {
    if (bytes.find(part) == bytes.npos) std::abort();
  };
  auto file = ElfSymbols::Open(hindsight::fuzz::MemoryFile(std::as_bytes(std::span(data, size))));
  if (!file) return 0;
  require_in_input(file->build_id());
  require_in_input(file->debug_link());
  if (file->debug_link().find('/') != std::string_view::npos) std::abort();
  if (!file->ReadFunctions()) return 0;
  // The addresses of functions are among the input's own words.
  for (size_t at = 0; at + sizeof(uint64_t) <= size && at < 4096; at += sizeof(uint64_t)) {
    uint64_t address = 0;
    std::memcpy(&address, data + at, sizeof address);
    for (const uint64_t place : {address - 1, address, address + 1}) {
      require_in_input(file->NameAt(place));
    }
  }
  return 0;
}
