// The schema as SQL, and for display.
#include <algorithm>
#include <string>

#include "analyzer/base/wrap.h"
#include "analyzer/exports/tables/object_tables.h"
#include "analyzer/exports/tables/schema.h"

namespace hindsight::analyzer {
namespace {

std::string_view TypeName(CellType type) {
  switch (type) {
    case CellType::kInteger:
      return "INTEGER";
    case CellType::kReal:
      return "REAL";
    case CellType::kText:
      break;
  }
  return "TEXT";
}

}  // namespace

std::string ColumnList(const TableSchema& table, size_t count) {
  std::string list = "recording";
  for (size_t i = 0; i < count; ++i) list += ", " + std::string(table.columns[i].name);
  return list;
}

// Keys with several columns are the table itself, in the order of recordings: a recording is found
// and removed without an index.
std::string CreateStatement(const TableSchema& table) {
  const bool is_root = table.key_columns == 0;
  std::string sql = "CREATE TABLE " + std::string(table.name) + " (\n  recording INTEGER";
  sql += is_root ? " PRIMARY KEY" : " NOT NULL REFERENCES recordings";
  for (const ColumnSchema& column : table.columns) {
    sql += ",\n  " + std::string(column.name) + " " + std::string(TypeName(column.type));
  }
  if (is_root) return sql + ",\n  UNIQUE (recording_id)\n);\n";
  sql += ",\n  PRIMARY KEY (" + ColumnList(table, table.key_columns) + ")";
  for (const ColumnSchema& column : table.columns) {
    if (column.refers.empty()) continue;
    sql += ",\n  FOREIGN KEY (recording, " + std::string(column.name) + ") REFERENCES " +
           std::string(column.refers);
  }
  return sql + "\n) WITHOUT ROWID;\n";
}

std::string AddColumnStatement(const TableSchema& table, const ColumnSchema& column) {
  return "ALTER TABLE " + std::string(table.name) + " ADD COLUMN " + std::string(column.name) +
         " " + std::string(TypeName(column.type)) + ";\n";
}

std::string ViewStatements() {
  std::string sql;
  for (const ViewSchema& view : Views()) {
    const std::string name(view.name);
    sql += "DROP VIEW IF EXISTS " + name + ";\n";
    sql += "CREATE VIEW " + name + " AS\n" + std::string(view.query) + ";\n";
  }
  return sql;
}

std::string CreateStatements() {
  std::string sql = "PRAGMA application_id = " + std::to_string(kTablesApplication) +
                    ";\nPRAGMA user_version = " + std::to_string(kTablesVersion) + ";\n";
  for (const TableSchema& table : Tables()) sql += CreateStatement(table);
  return sql + ViewStatements();
}

std::string DescribeTables() {
  std::string out =
      "Every table has the column `recording`. Times are in nanoseconds (_ns; at_ns from the start "
      "of\nthe recording), sizes in bytes (_bytes). NULL: unknown or not recorded.\n";
  for (const TableSchema& table : Tables()) {
    out += "\n" + std::string(table.name);
    if (!table.meaning.empty()) out += ": " + std::string(table.meaning);
    out += "\n";
    size_t width = 0;
    for (const ColumnSchema& column : table.columns) width = std::max(width, column.name.size());
    for (const ColumnSchema& column : table.columns) {
      std::string line = "  " + PadRight(column.name, width + 2) +
                         PadRight(TypeName(column.type), 9) + std::string(column.meaning);
      if (!column.refers.empty()) {
        line += (column.meaning.empty() ? "of " : "; of ") + std::string(column.refers);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
    }
  }
  out += ObjectTables::Describe();
  out += "\nViews:\n";
  for (const ViewSchema& view : Views()) {
    out += "\n" + std::string(view.name) + ": " + std::string(view.meaning) + "\n";
  }
  return out;
}

}  // namespace hindsight::analyzer
