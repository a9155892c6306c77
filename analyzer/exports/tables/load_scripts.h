// Scripts next to tables in CSV, for databases of many recordings: PostgreSQL's psql, and DuckDB,
// which writes Parquet. Generated from schema.h, so that types and keys are those of our own
// database. Both read the files in the folder in which they are run.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

inline constexpr std::string_view kPostgresqlScriptFile = "load-postgresql.sql";
inline constexpr std::string_view kDuckDbScriptFile = "parquet-duckdb.sql";

struct LoadScript {
  std::string_view file;  // its name
  std::string (*text)();
};

std::span<const LoadScript> LoadScripts();

// The script for DuckDB that finally writes a file kParquetDoneFile, if everything went well.
inline constexpr std::string_view kParquetDoneFile = "done.csv";
std::string ParquetScriptWithEndMark();

// For a folder of Parquet files: one view per table, with the table's name, and those of Views().
// Only the tables in `with_files` have files there.
inline constexpr std::string_view kParquetViewsFile = "views.sql";
std::string ParquetViews(const std::set<std::string>& with_files);

}  // namespace hindsight::analyzer
