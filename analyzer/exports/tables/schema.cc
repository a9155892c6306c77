#include "analyzer/exports/tables/schema.h"

#include <algorithm>
#include <utility>

#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

CellType CellTypeOf(const Shape& shape) {
  switch (shape.type) {
    case Shape::Type::kText:
      return CellType::kText;
    case Shape::Type::kNumber:
      return CellType::kReal;
    default:
      return CellType::kInteger;
  }
}

// The table whose rows have a number of this name: "creator_stack" is one of stacks.
std::string_view ReferredBy(std::string_view column) {
  constexpr std::pair<std::string_view, std::string_view> kReferences[] = {
      {"thread", "threads"},  {"owner", "threads"},  {"stack", "stacks"},
      {"type", "types"},      {"method", "methods"}, {"site", "methods"},
      {"catcher", "methods"}, {"gc", "gcs"},         {"snapshot", "heap_snapshots"}};
  for (const auto& [name, table] : kReferences) {
    const bool ends = column.ends_with(name);
    if (ends && (column.size() == name.size() || column[column.size() - name.size() - 1] == '_')) {
      return table;
    }
  }
  return {};
}

}  // namespace

TableSchema SchemaOf(std::string_view name, std::string_view meaning, TableSource source,
                     size_t key_columns, SharedShape row) {
  TableSchema table = {name, meaning, source, key_columns, std::move(row), {}};
  for (const FieldShape& field : table.row->fields) {
    const CellType type = CellTypeOf(field.shape);
    const std::string_view refers = type == CellType::kInteger ? ReferredBy(field.name) : "";
    table.columns.push_back({field.name, type, field.meaning, refers == name ? "" : refers});
  }
  return table;
}

std::span<const TableSchema> Tables() {
  static const std::vector<TableSchema> kTables = [] {
    std::vector<TableSchema> all;
    for (const auto& part : {RecordingTables(), ThreadTables(), NameTables::Schemas(),
                             SampleTables(), ExceptionTables(), RequestTables(), WaitTables(),
                             CollectionTables(), HeapTables(), AnalysisTables()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kTables;
}

const TableSchema* FindTable(std::string_view name) {
  const auto tables = Tables();
  const auto found = std::ranges::find(tables, name, &TableSchema::name);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace hindsight::analyzer
