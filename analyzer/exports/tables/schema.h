// The table schema: columns, keys and views, from which database, CSV files and documentation are
// generated. The columns are those of the tables' descriptions, beside their rows (table.h).
//
// Every table, and therefore every key, begins with the column `recording`, so that one database
// can hold the tables of many recordings. Times are nanoseconds from the recording's start (at_ns)
// or durations (_ns); sizes are bytes (_bytes). NULL: unknown, or not recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

// PRAGMA user_version: incremented when a table or column changes its meaning or is removed.
inline constexpr int kTablesVersion = 1;
// PRAGMA application_id, "Hsdb": identifies our databases.
inline constexpr int kTablesApplication = 0x48736462;

enum class CellType : uint8_t { kInteger, kReal, kText };

struct ColumnSchema {
  std::string_view name;
  CellType type = CellType::kInteger;
  std::string_view meaning;
  std::string_view refers;  // table: its row with the same recording and this number
};

// What has to be read for a table.
enum class TableSource : uint8_t {
  kEvents,    // the events over time
  kHeap,      // and heap snapshots
  kAnalyses,  // all of this, and every analysis
};

struct TableSchema {
  std::string_view name;
  std::string_view meaning;
  TableSource source = TableSource::kEvents;
  size_t key_columns = 1;             // the first of `columns`; `recording` precedes them
  SharedShape row;                    // has the names and meanings of:
  std::vector<ColumnSchema> columns;  // without `recording`
};
TableSchema SchemaOf(std::string_view name, std::string_view meaning, TableSource source,
                     size_t key_columns, SharedShape row);

struct ViewSchema {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;
};

std::span<const TableSchema> Tables();
std::span<const ViewSchema> Views();

// "recording, a, b": the column `recording` and the first `count` of the others.
std::string ColumnList(const TableSchema& table, size_t count);

// Null if there is no table with that name.
const TableSchema* FindTable(std::string_view name);

// Statements that create an empty database with all tables and views; one table; one column that an
// older version did not have (without its reference); and all views, replacing those of an older
// version.
std::string CreateStatements();
std::string CreateStatement(const TableSchema& table);
std::string AddColumnStatement(const TableSchema& table, const ColumnSchema& column);
std::string ViewStatements();

// All tables, columns and views with their meaning, for display.
std::string DescribeTables();

}  // namespace hindsight::analyzer
