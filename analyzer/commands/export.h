// `hindsight export`: its options, and the writers of each format.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"

namespace hindsight::analyzer {

enum class ExportFormat : uint8_t {
  kHeapsnapshot,
  kPprof,
  kOtlp,
  kSpeedscope,
  kCollapsed,
  kTrace,
  kFlamegraph,
  kSqlite,
  kCsv,
  kParquet
};

struct ExportOptions {
  std::vector<std::string> paths;
  std::string file;
  std::string to;      // as given: a time, or the address of a database instead of a file
  std::string format;  // as given; empty: from the file's name
  std::optional<uint32_t> snapshot;  // of a heap snapshot
  std::string signal;                // as given; empty: cpu
  TimeOptions times;
  std::string thread;                // as given
  std::string baseline;              // a recording to compare with
  std::vector<std::string> symbols;  // folders with PDBs and debug files
  bool force = false;                // tables may replace existing ones
};

ExitCode ExportHeap(const ExportOptions& options);
// A signal along call paths: pprof, otlp, speedscope, collapsed, flamegraph.
ExitCode ExportProfile(const ExportOptions& options, ExportFormat format);
ExitCode ExportTrace(const ExportOptions& options);
// Tables of one or many recordings: sqlite, csv.
ExitCode ExportTables(const ExportOptions& options, ExportFormat format);
// Writes the tables of recordings, each a group of paths, as CSV into a folder that must not exist,
// or be empty. Returns the number of rows.
Result<uint64_t> WriteCsvTables(std::span<const std::vector<std::string>> groups,
                                const std::string& folder, const SymbolPaths& symbols = {});
// The same tables as Parquet files, written by DuckDB, into a folder that may contain those of
// other exports.
ExitCode ExportParquet(const ExportOptions& options);
// The same tables into the database `to`. Replaces what it contains about these recordings.
ExitCode ExportPostgresql(const ExportOptions& options);
Result<void> CheckPostgresql(const std::string& address);  // checks `to`

}  // namespace hindsight::analyzer
