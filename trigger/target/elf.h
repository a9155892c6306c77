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
  // The headers speak of so many bytes; a file that is shorter was not copied to its end, and the
  // process that loads it gets SIGBUS.
  uint64_t needed_bytes = 0;
  uint64_t file_bytes = 0;
  // The table of sections, which stands at the end, holds what it should; true where there is none.
  bool has_end = true;

  bool has_static_tls = false;  // variables of threads that have to be there from the start

  bool IsWhole() const { return file_bytes >= needed_bytes && has_end; }
  // Whether it can be loaded late by that libc only. musl takes glibc's libc, libpthread, libdl,
  // libm and librt for itself, so needing these says nothing; it has no loader by glibc's name, and
  // gives static variables of threads to nothing that is loaded late.
  bool NeedsMusl() const;
  bool NeedsGlibc() const;
};

// Reads from an open file that can be read. Nothing: not an ELF file of this byte order.
std::optional<ElfFacts> ReadElf(int fd);

// "x64", "arm64", ... or "machine 123".
std::string MachineName(uint16_t machine);

}  // namespace hindsight::trigger
