// Scripts that lie beside tables in CSV, for engines that many recordings go to: PostgreSQL's psql,
// and DuckDB, which writes Parquet. Made from schema.h, so that types and keys are those of our own
// database. Both read the files of the folder that they are run in.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hindsight::analyzer {

struct LoadScript {
  std::string_view file;  // its name
  std::string (*text)();
};

std::span<const LoadScript> LoadScripts();

}  // namespace hindsight::analyzer
