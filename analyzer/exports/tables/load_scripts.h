// Scripts that lie beside tables in CSV, for engines that many recordings go to: PostgreSQL's psql,
// and DuckDB, which writes Parquet. Made from schema.h, so that types and keys are those of our own
// database. Both read the files of the folder that they are run in.
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

// The script for DuckDB, at whose end there is a file kParquetDoneFile, and only if all went well.
inline constexpr std::string_view kParquetDoneFile = "done.csv";
std::string ParquetScriptWithEndMark();

// For a folder of Parquet files: a view for each table, named like it, and those of Views(). The
// tables in `with_files` have files there.
inline constexpr std::string_view kParquetViewsFile = "views.sql";
std::string ParquetViews(const std::set<std::string>& with_files);

}  // namespace hindsight::analyzer
