#include "analyzer/commands/load_tables.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

ReportScope ScopeOf(const TableNames& wanted) {
  if (wanted.empty()) return {};
  ReportScope scope{.heap = false, .analyses = false};
  for (const std::string_view name : wanted) {
    const TableSource source = FindTable(name)->source;
    scope.heap = scope.heap || source != TableSource::kEvents || name == "types";
    scope.analyses = scope.analyses || source == TableSource::kAnalyses;
  }
  return scope;
}

}  // namespace

Result<std::unique_ptr<LoadedTables>> LoadTables(std::span<const std::string> paths,
                                                 const TableNames& wanted) {
  const ReportScope scope = ScopeOf(wanted);
  Result<LoadedReports> loaded = LoadReports(paths, scope);
  if (!loaded) return loaded.error();
  auto tables = std::make_unique<LoadedTables>();
  tables->loaded = std::move(*loaded);
  LoadedReports& all = tables->loaded;
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

}  // namespace hindsight::analyzer
