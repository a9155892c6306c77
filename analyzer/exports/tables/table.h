// A table of the export: what its rows are, described once. From the description come the schema of
// the database and of the CSV files, the documentation, and the cells:
//
//   SqlTable<PoolSampleInfo> PoolSamples() {
//     return {"pool_samples", "The thread pool, once per second", TableSource::kEvents, 1,
//             {Numbered<PoolSampleInfo>("sample"),
//              {"at_ns", kAt, &PoolSampleInfo::at_ns},
//              {"workers", "", &PoolSampleInfo::workers}}};
//   }
//   WriteRows(PoolSamples(), model.waits.samples, context, writer);
//
// Columns are fields of an Object (fields/fields.h) with plain values: whole numbers and bool are
// INTEGER, floating point is REAL, text is TEXT, and a missing optional is NULL. A column is a
// reference to another table by its name (schema.cc): `thread`, `owner_stack`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "analyzer/exports/tables/names.h"
#include "analyzer/exports/tables/table_writer.h"
#include "analyzer/fields/fields.h"

namespace hindsight::analyzer {

// What columns may need besides their row.
struct RowContext {
  const Model* model = nullptr;  // null: there are no events
  NameTables* names = nullptr;
  uint64_t number = 0;  // of the row, from 1
};

template <typename Row>
using Columns = Object<Row, RowContext>;

template <typename Row>
struct SqlTable {
  std::string_view name;
  std::string_view meaning;
  TableSource source = TableSource::kEvents;
  size_t key_columns = 1;  // the first ones; `recording` precedes them
  Columns<Row> columns;

  operator TableSchema() const {
    return SchemaOf(name, meaning, source, key_columns, columns.shape());
  }
};

inline constexpr std::string_view kAt = "from the recording's start";

// The key of rows that have no number of their own.
template <typename Row>
Field<Row, RowContext> Numbered(std::string_view name,
                                std::string_view meaning = "numbered from 1") {
  return {name, meaning, [](const Row&, const RowContext& in) { return in.number; }};
}

// A reference that may be missing.
inline std::optional<uint32_t> Known(uint32_t id) {
  return id == 0 ? std::nullopt : std::optional(id);
}
// A text that may be missing.
inline std::optional<std::string_view> KnownText(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// References, given the member or function of the row that has the id. 0 is NULL.
template <typename How>
auto KnownId(How how) {
  return [how](const auto& row) { return Known(std::invoke(how, row)); };
}
// The same for what has to be looked up: `find` is a function of NameTables.
template <typename Find, typename How>
auto Found(Find find, How how) {
  return [find, how](const auto& row, const RowContext& in) {
    return Known(std::invoke(find, *in.names, std::invoke(how, row)));
  };
}
template <typename How>
auto StackOf(How how) {
  return Found(&NameTables::OfStack, how);
}
template <typename How>
auto CallOf(How how) {
  return Found(&NameTables::OfCall, how);
}
template <typename How>
auto TypeOf(How how) {
  return Found(&NameTables::OfType, how);
}

// A value of what the row has in `part`, which may be a pointer.
template <typename Part, typename How>
auto Of(Part part, How how) {
  return [part, how](const auto& row) { return std::invoke(how, std::invoke(part, row)); };
}

// The rows of one table, on their way to a writer, which must outlive this.
template <typename Row>
class TableRows {
 public:
  TableRows(const SqlTable<Row>& table, const RowContext& context, TableWriter& writer)
      : shape_(table.columns.shape()),
        context_(context),
        writer_(writer),
        is_needed_(writer.Begin(table.name)) {}

  // False: neither the rows nor the names in them are wanted.
  explicit operator bool() const { return is_needed_; }

  void Add(const Row& row) {
    ++context_.number;
    writer_.Row(*shape_, &row, &context_);
  }

 private:
  const SharedShape shape_;
  RowContext context_;
  TableWriter& writer_;
  const bool is_needed_;
};

template <typename Row, typename Rows>
void WriteRows(const SqlTable<Row>& table, const Rows& rows, const RowContext& context,
               TableWriter& writer) {
  TableRows<Row> out(table, context, writer);
  if (!out) return;
  for (const Row& row : rows) out.Add(row);
}

}  // namespace hindsight::analyzer
