// Loads a recording as tables.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/base/result.h"
#include "analyzer/commands/load_reports.h"
#include "analyzer/exports/tables/database.h"
#include "analyzer/exports/tables/tables.h"

namespace hindsight::analyzer {

struct LoadedTables {
  LoadedReports loaded;
  std::optional<DominatorTree> tree;
  Overview overview;
  std::vector<Measure> measures;
  TableParts parts;  // refers to all of the above
};

// `symbols`: see LoadModel. Reads only what these tables (empty: all) need. Reports on stderr what
// could not be read.
Result<std::unique_ptr<LoadedTables>> LoadTables(std::span<const std::string> paths,
                                                 const TableNames& wanted,
                                                 const SymbolPaths& symbols = {});

// The same for every group of paths in turn, with one recording in memory at a time. Stops at the
// first error, of reading or of `each`.
Result<void> ForEachRecording(std::span<const std::vector<std::string>> groups,
                              const TableNames& wanted,
                              const std::function<Result<void>(const TableParts&)>& each,
                              const SymbolPaths& symbols = {});

// Writes these tables of the recordings into a database that has none of their rows; no names: no
// table.
Result<void> FillTables(Database& database, std::span<const std::vector<std::string>> groups,
                        const TableNames& wanted, const SymbolPaths& symbols = {});

}  // namespace hindsight::analyzer
