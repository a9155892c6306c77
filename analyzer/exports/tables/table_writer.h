// Rows on their way into tables.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "analyzer/exports/tables/schema.h"
#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

// The destination of rows, table by table. Remembers its first error until asked for it, and takes
// no more rows then. Not thread-safe.
class RowSink {
 public:
  virtual ~RowSink() = default;

  // The following rows belong to this table: one cell for `recording`, then one per column.
  virtual void Begin(const TableSchema& table) = 0;
  virtual void Integer(int64_t value) = 0;
  virtual void Real(double value) = 0;
  virtual void Text(std::string_view value) = 0;  // as recorded: any bytes
  virtual void Null() = 0;
  virtual void EndRow() = 0;
};

// Names of tables; empty: all.
using TableNames = std::set<std::string_view>;

// Writes the rows of one recording.
class TableWriter {
 public:
  // `wanted` and `sink` must outlive this.
  TableWriter(RowSink& sink, int64_t recording, const TableNames& wanted);

  bool Wants(std::string_view table) const { return wanted_.empty() || wanted_.contains(table); }

  // The following rows belong to this table. False: neither they nor names in them are wanted.
  bool Begin(std::string_view table);

  // `row` and `in` have the types in the declaration of `columns`, those of the table. They are
  // read even if only the names in them are wanted.
  void Row(const ObjectShape& columns, const void* row, const void* in);

 private:
  RowSink& sink_;
  const TableNames& wanted_;
  const int64_t recording_;
  bool wants_names_ = false;
  bool is_on_ = false;
};

}  // namespace hindsight::analyzer
