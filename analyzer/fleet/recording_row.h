// What a comparison of many recordings keeps for each: a few hundred bytes, and its findings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/measures.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

// A number by which processes of one application are compared.
struct FleetNumber {
  std::string_view measure;  // from MeasureKinds
  std::string_view label;
  Unit unit;
  double notable;  // smaller differences between hosts do not count
};
inline constexpr std::array<FleetNumber, 6> kFleetNumbers = {{
    {"cpu.cores", "average cores", Unit::kCores, 0.1},
    {"gc.heap.last", "heap after the last collection", Unit::kBytes, 16.0 * (1 << 20)},
    {"exceptions.per_second", "exceptions", Unit::kPerSecond, 1},
    {"locks.waiting", "threads waiting for locks, on average", Unit::kCount, 0.05},
    {"gc.pause.share", "time in GC pauses", Unit::kShare, 0.01},
    {"allocations.bytes_per_second", "allocations", Unit::kBytesPerSecond, 1.0 * (1 << 20)},
}};

struct RowFinding {
  Severity severity = Severity::kNote;
  Signal signal = Signal::kDeadlocks;
  std::string kind, subject, title, command;  // as in Finding
  double impact = 0;
};

// Shows whether a recording was written to since.
struct FilesStamp {
  uint64_t files = 0, bytes = 0;
  uint64_t modified_ns = 0;  // of the newest file, since 1970
  auto operator<=>(const FilesStamp&) const = default;
};

struct RecordingRow {
  std::string path;  // as shown, and as passed to other commands
  FilesStamp stamp;
  std::string error;  // a sentence: it cannot be read, and nothing below is set
  uint64_t recording_id = 0;
  uint64_t part_of = 0;  // id of the recording from which it was cut; 0: it is not a part
  std::string application, host, runtime;  // empty: not recorded
  std::string build;                       // of the application's own assembly: its MVID, in hex
  uint32_t pid = 0;
  uint64_t process_started_unix_ns = 0;  // 0: not recorded
  uint64_t started_unix_ns = 0;          // start of what is recorded
  uint64_t duration_ns = 0;
  uint32_t covered = 0;  // bit i: Signal i was examined, whether or not anything was found
  std::array<std::optional<double>, kFleetNumbers.size()> numbers;
  std::vector<RowFinding> findings;  // worst first, at most kMostFindings

  static constexpr size_t kMostFindings = 50;
  static constexpr size_t kMostTextBytes = 400;  // per text; the rest is cut

  bool covers(Signal signal) const { return (covered >> static_cast<unsigned>(signal) & 1) != 0; }
};

// Stores findings, coverage and numbers of `reports` in `row`.
void TakeReports(const Reports& reports, RecordingRow& row);

}  // namespace hindsight::analyzer
