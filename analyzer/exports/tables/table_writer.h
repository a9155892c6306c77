// Rows on their way into tables.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "analyzer/exports/tables/schema.h"

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
  TableWriter(RowSink& sink, int64_t recording, const TableNames& wanted)
      : sink_(sink), wanted_(wanted), recording_(recording) {
    // Rows show which names are needed, so they are visited even if only names are wanted.
    for (const char* name : {"methods", "types", "stacks", "frames"}) {
      wants_names_ = wants_names_ || Wants(name);
    }
  }

  bool Wants(std::string_view table) const { return wanted_.empty() || wanted_.contains(table); }

  // The following rows belong to this table. False: neither they nor names in them are wanted.
  bool Begin(std::string_view table) {
    is_on_ = Wants(table);
    if (is_on_) sink_.Begin(*FindTable(table));
    return is_on_ || wants_names_;
  }

  // One cell per column of the table, without `recording`. std::nullopt is NULL.
  template <typename... Cells>
  void Row(const Cells&... cells) {
    if (!is_on_) return;
    sink_.Integer(recording_);
    (Cell(cells), ...);
    sink_.EndRow();
  }

 private:
  template <std::integral Number>
  void Cell(Number value) {
    if constexpr (std::is_unsigned_v<Number>) {
      sink_.Integer(static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)));
    } else {
      sink_.Integer(value);
    }
  }
  void Cell(double value) { sink_.Real(value); }
  void Cell(std::string_view value) { sink_.Text(value); }
  void Cell(std::nullopt_t) { sink_.Null(); }
  template <typename Value>
  void Cell(const std::optional<Value>& value) {
    if (value) {
      Cell(*value);
    } else {
      sink_.Null();
    }
  }

  RowSink& sink_;
  const TableNames& wanted_;
  const int64_t recording_;
  bool wants_names_ = false;
  bool is_on_ = false;
};

// A reference that may be missing.
inline std::optional<uint32_t> Known(uint32_t id) {
  return id == 0 ? std::nullopt : std::optional(id);
}
// A text that may be missing.
inline std::optional<std::string_view> KnownText(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace hindsight::analyzer
