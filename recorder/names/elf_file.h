// Functions of a native library, from its file: where they begin, and their names.
//
// Nothing is cached and nothing is trusted. Each query reads what it needs, because there are few
// (one for each function seen) and libraries are large.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hindsight::recorder {

// Copies bytes of a file; false if they are not there.
using ReadFile = std::function<bool(uint64_t offset, void* out, size_t size)>;

class ElfFile {
 public:
  // In the file's own addresses.
  struct Range {
    uint64_t from = 0, to = UINT64_MAX;

    bool Has(uint64_t address) const { return address >= from && address < to; }
    // Shrinks this range to the part around `address` that is outside `other`, which does not
    // contain `address`.
    void CutOff(const Range& other, uint64_t address) {
      if (other.from > address) {
        to = std::min(to, other.from);
      } else {
        from = std::max(from, other.to);
      }
    }
  };
  struct Function {
    uint64_t start = 0;
    std::string name;  // of the symbol at its start; empty if there is none
    // The same result holds for all of these addresses, even if it is false. Empty: a read failed.
    Range same;
  };

  // Not valid if it is not a 64-bit ELF file.
  explicit ElfFile(ReadFile read);

  bool valid() const { return valid_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

  // The function that contains `address`. False: neither a symbol nor the unwind table covers it.
  bool FindFunction(uint64_t address, Function& out) const;

 private:
  static constexpr uint64_t kMaxSymbolBytes = 4u << 20;  // per table; a larger one is not read
  static constexpr size_t kMaxNameBytes = 1024;

  bool FindSymbol(uint64_t address, Function& out) const;
  bool FindSymbolIn(const Elf64_Shdr& table, uint64_t address, Function& out) const;
  std::string Name(const Elf64_Shdr& strings, uint64_t place) const;
  bool FindByUnwindTable(uint64_t address, Function& out) const;
  bool OffsetOf(uint64_t address, uint64_t& offset) const;

  ReadFile read_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> symbol_tables_;
  std::vector<Elf64_Shdr> string_tables_;  // parallel to symbol_tables_
  bool valid_ = false;
};

}  // namespace hindsight::recorder
