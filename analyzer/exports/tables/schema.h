// The table schema: columns, keys and views in one list, from which database, CSV files and
// documentation are made.
//
// Every table begins with the column `recording`, so that tables of many recordings lie in one
// database, and every key with it. Times are nanoseconds from the recording's start (at_ns) or
// durations (_ns); sizes are bytes (_bytes). NULL: unknown, or not recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer {

// PRAGMA user_version: raised when a table or column changes its meaning or goes away.
inline constexpr int kTablesVersion = 1;
// PRAGMA application_id, "Hsdb": how our databases are known from others.
inline constexpr int kTablesApplication = 0x48736462;

enum class CellType : uint8_t { kInteger, kReal, kText };

struct ColumnSchema {
  std::string_view name;
  CellType type = CellType::kInteger;
  std::string_view meaning;
  std::string_view refers = {};  // to the row of this table with the same recording and this number
};

// What has to be read for a table.
enum class TableSource : uint8_t {
  kEvents,    // the events over time
  kHeap,      // these, and heap snapshots
  kAnalyses,  // all of it, and every analysis
};

struct TableSchema {
  std::string_view name;
  std::string_view meaning;
  TableSource source = TableSource::kEvents;
  size_t key_columns = 1;             // the first of `columns`; `recording` comes before them
  std::vector<ColumnSchema> columns;  // without `recording`
};

struct ViewSchema {
  std::string_view name;
  std::string_view meaning;
  std::string_view query;
};

std::span<const TableSchema> Tables();
std::span<const ViewSchema> Views();

// "recording, a, b": the column `recording` and the first `count` of the others.
std::string ColumnList(const TableSchema& table, size_t count);

// Null if there is none of that name.
const TableSchema* FindTable(std::string_view name);

// Statements that make an empty database of all tables and views, and those for one table, for one
// column that an older version did not have (without what it refers to), and for all views, which
// replace those of an older version.
std::string CreateStatements();
std::string CreateStatement(const TableSchema& table);
std::string AddColumnStatement(const TableSchema& table, const ColumnSchema& column);
std::string ViewStatements();

// All tables, columns and views with what they mean, for people.
std::string DescribeTables();

}  // namespace hindsight::analyzer
