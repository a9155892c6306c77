#include "analyzer/commands/load_tables.h"

#include <iostream>
#include <utility>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

ReportScope ScopeOf(const TableNames& wanted) {
  if (wanted.empty()) return {};
  ReportScope scope{.heap = false, .analyses = false};
  for (const std::string_view name : wanted) {
    const TableSource source = FindTable(name)->source;
    scope.heap = scope.heap || source != TableSource::kEvents;
    scope.analyses = scope.analyses || source == TableSource::kAnalyses;
  }
  return scope;
}

}  // namespace

Result<std::unique_ptr<LoadedTables>> LoadTables(std::span<const std::string> paths,
                                                 const TableNames& wanted,
                                                 const SymbolPaths& symbols) {
  ReportScope scope = ScopeOf(wanted);
  scope.symbols = symbols;
  Result<LoadedReports> loaded = LoadReports(paths, scope);
  if (!loaded) return loaded.error();
  auto tables = std::make_unique<LoadedTables>();
  tables->loaded = std::move(*loaded);
  LoadedReports& all = tables->loaded;
  for (const std::string& sentence : all.damages) {
    std::cerr << "hindsight: " << Printable(paths.front()) << ": " << sentence << "\n";
  }
  TableParts& parts = tables->parts;
  parts.recording_id = all.recording_id;
  parts.lost_segments = all.lost_segments;
  parts.events = all.model.get();
  parts.snapshots = all.snapshots;
  if (all.heap) {
    tables->tree.emplace(*all.heap->dominators);
    parts.heap = all.heap->model.get();
    parts.dominators = &*all.heap->dominators;
    parts.tree = &*tables->tree;
  }
  if (scope.analyses) {
    tables->overview = FindAll(all.reports);
    tables->measures = MeasuresOf(all.reports);
    parts.overview = &tables->overview;
    parts.measures = tables->measures;
  }
  return tables;
}

Result<void> ForEachRecording(std::span<const std::vector<std::string>> groups,
                              const TableNames& wanted,
                              const std::function<Result<void>(const TableParts&)>& each,
                              const SymbolPaths& symbols) {
  for (const std::vector<std::string>& paths : groups) {
    const Result<std::unique_ptr<LoadedTables>> tables = LoadTables(paths, wanted, symbols);
    if (!tables) return tables.error();
    if (const Result<void> done = each((*tables)->parts); !done) return done;
  }
  return {};
}

Result<void> FillTables(Database& database, std::span<const std::vector<std::string>> groups,
                        const TableNames& wanted, const SymbolPaths& symbols) {
  if (wanted.empty()) return {};
  DatabaseSink sink(database);
  Result<void> done = database.Run("BEGIN");
  if (done) {
    done = ForEachRecording(
        groups, wanted,
        [&](const TableParts& parts) {
          WriteTables(parts, wanted, sink);
          return sink.status();
        },
        symbols);
  }
  return done ? database.Run("COMMIT") : done;
}

}  // namespace hindsight::analyzer
