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
  std::vector<std::string> needed;  // names of the libraries that it needs
  // The file size that the headers require; a shorter file was not copied completely, and a process
  // that loads it gets SIGBUS.
  uint64_t needed_bytes = 0;
  uint64_t file_bytes = 0;
  // The section table, which is at the end of the file, is valid; true if there is none.
  bool has_end = true;

  bool has_static_tls = false;  // has initial-exec thread-local variables

  bool IsWhole() const { return file_bytes >= needed_bytes && has_end; }
  // Whether only that libc can load it late. musl itself provides glibc's libc, libpthread, libdl,
  // libm and librt, so needing these says nothing; it has no loader with glibc's name, and gives no
  // static TLS to libraries loaded late.
  bool NeedsMusl() const;
  bool NeedsGlibc() const;
};

// Reads from an open, readable file. Empty: not an ELF file of this byte order.
std::optional<ElfFacts> ReadElf(int fd);

// "x64", "arm64", ... or "machine 123".
std::string MachineName(uint16_t machine);

}  // namespace hindsight::trigger
