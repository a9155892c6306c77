#include "analyzer/exports/tables/load_scripts.h"

#include <array>

#include "analyzer/exports/tables/schema.h"

namespace hindsight::analyzer {
namespace {

// For the advisory lock with which loaders take turns: any number that is not used otherwise.
constexpr int kPostgresqlLock = kTablesApplication;

std::string PostgresqlType(CellType type) {
  switch (type) {
    case CellType::kInteger:
      return "bigint";
    case CellType::kReal:
      return "double precision";
    case CellType::kText:
      break;
  }
  return "text";
}

std::string DuckDbType(CellType type) {
  switch (type) {
    case CellType::kInteger:
      return "BIGINT";
    case CellType::kReal:
      return "DOUBLE";
    case CellType::kText:
      break;
  }
  return "VARCHAR";
}

// A later version may have more columns than the existing table.
std::string PostgresqlTable(const TableSchema& table) {
  const std::string name(table.name);
  std::string sql = "CREATE TABLE IF NOT EXISTS " + name + " (\n  recording bigint NOT NULL";
  for (const ColumnSchema& column : table.columns) {
    sql += ",\n  " + std::string(column.name) + " " + PostgresqlType(column.type);
  }
  sql += ",\n  PRIMARY KEY (" + ColumnList(table, table.key_columns) + ")\n);\n";
  for (size_t i = table.key_columns; i < table.columns.size(); ++i) {
    const ColumnSchema& column = table.columns[i];
    sql += "ALTER TABLE " + name + " ADD COLUMN IF NOT EXISTS " + std::string(column.name) + " " +
           PostgresqlType(column.type) + ";\n";
  }
  return sql;
}

std::string PostgresqlRows(const TableSchema& table) {
  const std::string name(table.name), incoming = "incoming_" + name;
  const std::string columns = ColumnList(table, table.columns.size());
  std::string sql = "CREATE TEMPORARY TABLE " + incoming + " (LIKE " + name + ") ON COMMIT DROP;\n";
  sql += "\\copy " + incoming + " (" + columns + ") FROM '" + name +
         ".csv' WITH (FORMAT csv, HEADER, ENCODING 'UTF8')\n";
  // Everything that exists about these recordings is removed, from all tables.
  if (table.key_columns == 0) {
    for (const TableSchema& old : Tables()) {
      sql += "DELETE FROM " + std::string(old.name) +
             " WHERE recording IN (SELECT recording FROM " + incoming + ");\n";
    }
  }
  return sql + "INSERT INTO " + name + " (" + columns + ") SELECT " + columns + " FROM " +
         incoming + " ON CONFLICT DO NOTHING;\n";
}

std::string PostgresqlScript() {
  const std::string version = std::to_string(kTablesVersion);
  std::string sql =
      "-- Loads these tables into PostgreSQL, in one transaction. In this folder:\n"
      "--   psql \"postgresql://USER@HOST/DATABASE\" -f load-postgresql.sql\n"
      "-- Recordings that are there already are replaced. Several may load at once: they take "
      "turns.\n"
      "\\set ON_ERROR_STOP on\n"
      "SET client_min_messages = warning;\n"
      "BEGIN;\n"
      "SELECT pg_advisory_xact_lock(" +
      std::to_string(kPostgresqlLock) +
      ") \\g /dev/null\n"
      "CREATE SCHEMA IF NOT EXISTS hindsight;\n"
      "SET LOCAL search_path = hindsight;\n"
      "CREATE TABLE IF NOT EXISTS schema_version (version integer PRIMARY KEY);\n"
      "INSERT INTO schema_version SELECT " +
      version +
      " WHERE NOT EXISTS (SELECT FROM schema_version);\n"
      "DO $$ BEGIN\n"
      "  IF (SELECT max(version) FROM schema_version) <> " +
      version +
      " THEN\n"
      "    RAISE EXCEPTION 'the schema hindsight has another version than these tables, " +
      version +
      "';\n"
      "  END IF;\n"
      "END $$;\n";
  for (const TableSchema& table : Tables()) sql += "\n" + PostgresqlTable(table);
  for (const TableSchema& table : Tables()) sql += "\n" + PostgresqlRows(table);
  for (const ViewSchema& view : Views()) {
    sql += "\nCREATE OR REPLACE VIEW " + std::string(view.name) + " AS\n" +
           std::string(view.query) + ";\n";
  }
  return sql + "COMMIT;\n";
}

std::string DuckDbRead(const TableSchema& table) {
  std::string columns = "'recording': 'BIGINT'";
  for (const ColumnSchema& column : table.columns) {
    columns += ", '" + std::string(column.name) + "': '" + DuckDbType(column.type) + "'";
  }
  return "read_csv('" + std::string(table.name) +
         ".csv', header = true, delim = ',', quote = '\"', escape = '\"', new_line = '\\r\\n', "
         "auto_detect = false, parallel = false, allow_quoted_nulls = false, max_line_size = "
         "16777216,\n  columns = {" +
         columns + "})";
}

// Files of several exports can be in the same folder, because their names never collide.
std::string DuckDbWrite(const TableSchema& table, const std::string& query) {
  return "COPY (" + query + ")\nTO 'parquet/" + std::string(table.name) +
         "' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day, application), "
         "FILENAME_PATTERN '{uuid}', OVERWRITE_OR_IGNORE);\n";
}

// `end`: statements before the end of the transaction.
std::string DuckDbScriptWith(const std::string& end) {
  std::string sql =
      "-- Writes these tables as Parquet files, by day and application, into the folder parquet. "
      "In "
      "this folder:\n"
      "--   mkdir -p parquet && duckdb -c \".read parquet-duckdb.sql\"\n"
      "-- Files of another export can be added to the same folders.\n"
      "BEGIN TRANSACTION;\n";
  for (const TableSchema& table : Tables()) {
    if (table.key_columns != 0) continue;
    sql +=
        "\nCREATE TEMPORARY TABLE known AS SELECT * REPLACE (coalesce(application, 'unknown') "
        "AS application),\n  CAST(make_timestamp(started_unix_ns // 1000) AS DATE) AS day\nFROM " +
        DuckDbRead(table) + ";\n";
    sql += DuckDbWrite(table, "FROM known");
  }
  for (const TableSchema& table : Tables()) {
    if (table.key_columns == 0) continue;
    sql += "\n" + DuckDbWrite(table, "SELECT t.*, known.day, known.application\nFROM " +
                                         DuckDbRead(table) + " t\nJOIN known USING (recording)");
  }
  return sql + end + "COMMIT;\n";
}

std::string DuckDbScript() { return DuckDbScriptWith(""); }

// The table without any rows.
std::string DuckDbEmpty(const TableSchema& table) {
  std::string cells = "CAST(NULL AS BIGINT) AS recording";
  for (const ColumnSchema& column : table.columns) {
    cells += ", CAST(NULL AS " + DuckDbType(column.type) + ") AS " + std::string(column.name);
  }
  cells += ", CAST(NULL AS DATE) AS day";
  if (table.key_columns != 0) cells += ", CAST(NULL AS VARCHAR) AS application";
  return "SELECT " + cells + " WHERE false";
}

constexpr std::array kScripts = {LoadScript{kPostgresqlScriptFile, &PostgresqlScript},
                                 LoadScript{kDuckDbScriptFile, &DuckDbScript}};

}  // namespace

std::span<const LoadScript> LoadScripts() { return kScripts; }

// After a failed statement, the others of the same transaction fail as well.
std::string ParquetScriptWithEndMark() {
  return DuckDbScriptWith("\nCOPY (SELECT 1 AS done) TO '" + std::string(kParquetDoneFile) +
                          "';\n");
}

std::string ParquetViews(const std::set<std::string>& with_files) {
  std::string sql =
      "-- Names for the tables in this folder. In it:\n"
      "--   duckdb -cmd \".read views.sql\" -c \"SELECT * FROM recordings\"\n";
  for (const TableSchema& table : Tables()) {
    const std::string name(table.name);
    const std::string files =
        "FROM read_parquet('" + name +
        "/*/*/*.parquet', union_by_name = true,\n  hive_types = {'day': DATE, "
        "'application': VARCHAR})";
    sql += "CREATE OR REPLACE TEMPORARY VIEW " + name + " AS\n" +
           (with_files.contains(name) ? files : DuckDbEmpty(table)) + ";\n";
  }
  for (const ViewSchema& view : Views()) {
    sql += "\nCREATE OR REPLACE TEMPORARY VIEW " + std::string(view.name) + " AS\n" +
           std::string(view.query) + ";\n";
  }
  return sql;
}

}  // namespace hindsight::analyzer
