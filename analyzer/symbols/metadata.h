// The container of .NET metadata (ECMA-335, II.24): streams, heaps and the width of a table's
// indices. Both assemblies and portable PDBs use it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/symbols/byte_reader.h"

namespace hindsight::analyzer::symbols {

inline constexpr size_t kTableCount = 64;
using RowCounts = std::array<uint32_t, kTableCount>;  // indexed by table; 0: there is none
inline constexpr uint32_t kMaxTableRows = 0xffffff;   // the most that a token can refer to

// Whether indices in a table's rows are 4 bytes wide instead of 2.
struct IndexWidths {
  bool wide_strings = false;
  bool wide_guids = false;
  bool wide_blobs = false;
};

// Views of the bytes passed to Parse.
struct Metadata {
  std::string_view strings, guids, blobs, pdb;
  IndexWidths widths;
  RowCounts rows{};         // of the tables that are present
  std::string_view tables;  // their rows, one table after the other

  // nullopt if the bytes are not metadata, or its tables are not in the compressed format ("#~").
  static std::optional<Metadata> Parse(std::string_view bytes);

  // 16 bytes; `index` counts from 1. Empty: there is none.
  std::string_view Guid(uint32_t index) const;
  // The content of a blob; empty also if `offset` is invalid.
  std::string_view Blob(uint32_t offset) const;
};

// The row counts of the tables whose bit is set in `valid`. False: too many rows, or too few bytes.
bool ReadRowCounts(ByteReader& reader, uint64_t valid, RowCounts& rows);

// The module version id of an assembly, 16 bytes; empty: there is none.
std::string_view Mvid(const Metadata& metadata);

}  // namespace hindsight::analyzer::symbols
