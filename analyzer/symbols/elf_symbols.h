// The functions of an ELF file: a library or program, or the file with its debug information.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer::symbols {

// Damaged or missing parts are empty; nothing in the file is trusted.
class ElfSymbols {
 public:
  static constexpr uint64_t kMostTableBytes = uint64_t{256} << 20;  // larger tables are not read

  // nullopt: not a regular file, or not a 64-bit little-endian ELF file. Functions are read by
  // ReadFunctions.
  static std::optional<ElfSymbols> Open(const std::string& path);

  const std::string& build_id() const { return build_id_; }
  // The name of the file with debug information (.gnu_debuglink).
  const std::string& debug_link() const { return debug_link_; }

  // From the symbol table or, if there is none, from that of the dynamic linker. False: neither has
  // functions.
  bool ReadFunctions();
  // The symbol of the function at this address in the file, unchanged. Empty: there is none; or the
  // address is the start of the code, which recorders report if they cannot determine more.
  std::string_view NameAt(uint64_t address) const;

 private:
  struct Section {
    uint32_t type = 0, link = 0;
    uint64_t offset = 0, bytes = 0;
  };
  struct Function {
    uint64_t start = 0, bytes = 0;
    uint32_t name = 0;  // offset in names_
  };

  explicit ElfSymbols(std::string path) : path_(std::move(path)) {}
  std::string Read(uint64_t offset, uint64_t bytes) const;
  bool ReadHeaders();
  bool ReadTable(const Section& table);
  std::string_view NameOf(const Function& function) const;

  std::string path_;
  std::vector<Section> sections_;
  std::string section_names_;
  std::string build_id_, debug_link_;
  uint64_t code_start_ = UINT64_MAX;
  std::vector<Function> functions_;  // ordered by start
  std::string names_;
};

}  // namespace hindsight::analyzer::symbols
