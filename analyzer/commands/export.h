// `hindsight export`: its options, and what writes which format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/commands/options.h"

namespace hindsight::analyzer {

enum class ExportFormat : uint8_t {
  kHeapsnapshot,
  kPprof,
  kSpeedscope,
  kCollapsed,
  kTrace,
  kFlamegraph,
  kSqlite,
  kCsv
};

struct ExportOptions {
  std::vector<std::string> paths;
  std::string file;
  std::string format;                // as given; empty: by the file's name
  std::optional<uint32_t> snapshot;  // of the heap
  std::string signal;                // as given; empty: cpu
  TimeOptions times;
  std::string thread;                // as given
  std::string baseline;              // a recording to compare with
  std::vector<std::string> symbols;  // folders with PDBs
  bool force = false;                // tables may replace what is there
};

ExitCode ExportHeap(const ExportOptions& options);
// Of a signal along paths of calls: pprof, speedscope, collapsed, flamegraph.
ExitCode ExportProfile(const ExportOptions& options, ExportFormat format);
ExitCode ExportTrace(const ExportOptions& options);
// Tables of one or many recordings: sqlite, csv.
ExitCode ExportTables(const ExportOptions& options, ExportFormat format);

}  // namespace hindsight::analyzer
