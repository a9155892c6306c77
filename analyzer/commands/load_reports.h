// Loads everything about a recording, for commands that cover every signal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/reports.h"
#include "analyzer/base/result.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct LoadedReports {
  std::unique_ptr<Model> model;  // null: the files only contain heap snapshots
  // The newest snapshot with objects, or the last before the host began to stop; null: there is
  // none.
  std::unique_ptr<Heap> heap;
  Reports reports;                   // refers to both; empty without analyses
  std::vector<HeapFacts> snapshots;  // all of the recording
  uint64_t recording_id = 0;
  uint64_t lost_segments = 0;
  // Sentences on what is there but could not be read.
  std::vector<std::string> damages;
};

// What to read of a recording.
struct ReportScope {
  bool heap = true;      // its newest snapshot; always read if the files only contain snapshots
  bool analyses = true;  // otherwise only what they are computed from
  bool shows_progress = true;
  SymbolPaths symbols = {};  // see LoadModel
};

// An error if there is nothing to read. Shows progress.
Result<LoadedReports> LoadReports(std::span<const std::string> paths,
                                  const ReportScope& scope = {});

}  // namespace hindsight::analyzer
