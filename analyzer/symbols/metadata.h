// The container of .NET's metadata (ECMA-335, II.24): streams, heaps and how wide a table's indices
// are. Assemblies and portable PDBs both are one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/symbols/byte_reader.h"

namespace hindsight::analyzer::symbols {

inline constexpr size_t kTableCount = 64;
using RowCounts = std::array<uint32_t, kTableCount>;  // by table; 0: there is none
inline constexpr uint32_t kMaxTableRows = 0xffffff;   // what a token can name

// A row of a table as its columns lie in it. Indices are 2 or 4 bytes wide.
struct IndexWidths {
  bool wide_strings = false;
  bool wide_guids = false;
  bool wide_blobs = false;
};

// Views of the bytes given to Parse.
struct Metadata {
  std::string_view strings, guids, blobs, pdb;
  IndexWidths widths;
  RowCounts rows{};         // of the tables that are here
  std::string_view tables;  // their rows, one table after the other

  // Nothing if the bytes are no metadata, or its tables are not in the compressed format ("#~").
  static std::optional<Metadata> Parse(std::string_view bytes);

  // 16 bytes; `index` counts from 1. Empty: there is none.
  std::string_view Guid(uint32_t index) const;
  // The content of a blob; empty also if `offset` is none.
  std::string_view Blob(uint32_t offset) const;
};

// The row counts of the tables that `valid` has a bit for. False: too many rows, or too few bytes.
bool ReadRowCounts(ByteReader& reader, uint64_t valid, RowCounts& rows);

// The module version id of an assembly, 16 bytes; empty: none.
std::string_view Mvid(const Metadata& metadata);

}  // namespace hindsight::analyzer::symbols
