// What an ELF file is built for. The file is not trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hindsight::trigger {

struct ElfFacts {
  uint16_t machine = 0;  // EM_...
  bool is64 = false;
  bool shared = false;              // a library or a position-independent program
  std::string interpreter;          // of a program; empty: a library, or a static program
  std::vector<std::string> needed;  // names of the libraries that it loads

  bool NeedsMusl() const;
  bool NeedsGlibc() const;
};

// Reads from an open file that can be read. Nothing: not an ELF file of this byte order.
std::optional<ElfFacts> ReadElf(int fd);

// "x64", "arm64", ... or "machine 123".
std::string MachineName(uint16_t machine);

}  // namespace hindsight::trigger
