// A portable PDB: which lines a method's IL comes from. The format is .NET's "Portable PDB v1.0",
// which extends the metadata of ECMA-335 with its own tables.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/symbols/metadata.h"

namespace hindsight::analyzer::symbols {

// Code from `il_offset` to the next point belongs to this line.
struct SequencePoint {
  uint32_t il_offset = 0;
  uint32_t document = 0;  // from 1
  uint32_t line = 0;      // from 1; 0: hidden, compiler-generated code
  bool operator==(const SequencePoint&) const = default;
};

class PortablePdb {
 public:
  // Owns `bytes`. `name` is for the error message.
  static Result<std::unique_ptr<PortablePdb>> Parse(std::string bytes, std::string_view name);
  PortablePdb(const PortablePdb&) = delete;
  PortablePdb& operator=(const PortablePdb&) = delete;

  // GUID and stamp, 20 bytes.
  std::string_view id() const { return id_; }

  // Of the method with that MethodDef token, ordered by IL offset. Up to the first damage, if there
  // is any; empty if the method has no lines.
  std::vector<SequencePoint> Points(uint32_t token) const;
  // The path given to the compiler; empty if there is no such document.
  std::string DocumentPath(uint32_t document) const;
  // For a method that starts an async method or iterator: the MoveNext with its code; otherwise 0.
  uint32_t MoveNextOf(uint32_t kickoff_token) const;
  // The Source Link map (JSON); empty: none.
  std::string_view source_link() const { return source_link_; }

 private:
  enum Table : size_t {
    kMethodDef = 0x06,
    kDocument = 0x30,
    kMethodDebugInformation,
    kLocalScope,
    kLocalVariable,
    kLocalConstant,
    kImportScope,
    kStateMachineMethod,
    kCustomDebugInformation,
    kTableEnd,
  };
  struct TableView {
    std::string_view bytes;
    size_t row_size = 0;
  };

  explicit PortablePdb(std::string bytes) : bytes_(std::move(bytes)) {}
  bool Read();
  bool LayOutTables();
  void ReadStateMachines();
  void FindSourceLink();
  // Row `row`, from 1; empty if there is none.
  ByteReader Row(Table table, uint32_t row) const;
  uint32_t Index(ByteReader& row, bool wide) const { return wide ? row.U32() : row.U16(); }
  bool IsWide(Table table) const { return all_rows_[table] > 0xffff; }

  std::string bytes_;
  Metadata metadata_;
  RowCounts all_rows_{};  // including those of the assembly, to which indices refer
  TableView tables_[kTableEnd - kDocument];
  bool wide_parents_ = false;  // of CustomDebugInformation
  std::string_view id_;
  std::string_view source_link_;
  std::unordered_map<uint32_t, uint32_t> move_next_;  // by the token of the method that starts it
};

}  // namespace hindsight::analyzer::symbols
