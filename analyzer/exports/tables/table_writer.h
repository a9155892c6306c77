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

// Takes rows, table by table: what they are written to. Keeps its first error to itself, until it
// is asked, and takes no more rows then. One thread.
class RowSink {
 public:
  virtual ~RowSink() = default;

  // The rows that follow are of this table: a cell for `recording`, then one a column.
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
  // `wanted` outlives this, as `sink` does.
  TableWriter(RowSink& sink, int64_t recording, const TableNames& wanted)
      : sink_(sink), wanted_(wanted), recording_(recording) {
    // Rows show which names there are, so they are gone through for the names alone.
    for (const char* name : {"methods", "types", "stacks", "frames"}) {
      wants_names_ = wants_names_ || Wants(name);
    }
  }

  bool Wants(std::string_view table) const { return wanted_.empty() || wanted_.contains(table); }

  // The rows that follow are of this table. False: nobody asks for them, nor for names in them.
  bool Begin(std::string_view table) {
    is_on_ = Wants(table);
    if (is_on_) sink_.Begin(*FindTable(table));
    return is_on_ || wants_names_;
  }

  // One cell a column of the table, without `recording`. std::nullopt is NULL.
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

// A reference that may be to nothing.
inline std::optional<uint32_t> Known(uint32_t id) {
  return id == 0 ? std::nullopt : std::optional(id);
}
// A text that may be missing.
inline std::optional<std::string_view> KnownText(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace hindsight::analyzer
