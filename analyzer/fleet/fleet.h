// What is wrong in many recordings: in how many processes and on how many hosts, and since which
// build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/fleet/outliers.h"
#include "analyzer/fleet/recording_row.h"

namespace hindsight::analyzer {

// How many there are; hosts are counted if recordings name theirs.
struct FleetCount {
  uint64_t processes = 0, hosts = 0;
};

// The build that first showed a finding. A build is identified by the module version id of the
// application's own assembly, and is as old as its oldest recording.
struct FirstBuild {
  enum class State : uint8_t {
    kUnknown,       // a recording that has it does not name its build, or a build has no time
    kOnlyOne,       // all recordings are of one build
    kFromTheStart,  // the oldest build that examined it has it
    kSince,         // older builds examined it and did not have it
  };
  State state = State::kUnknown;
  std::string build;                // that showed it first; kUnknown: one that has it, or none
  uint64_t first_seen_unix_ns = 0;  // of that build
  uint64_t builds_before = 0;       // that examined it and did not have it
  uint64_t processes_before = 0;    // of those builds
};

// One finding, by kind and place (FindingKey), of one application.
struct FleetFinding {
  std::string application;
  RowFinding worst;  // the worst of all that are the same
  std::string path;  // a recording that has it
  std::string host;  // of that recording
  FleetCount has;
  FleetCount of;  // those of the application that examined its signal
  FirstBuild first;
};

struct FleetOutlier {
  std::string application, host;
  size_t number = 0;   // index into kFleetNumbers
  uint64_t hosts = 0;  // hosts that were compared
  Outlier outlier;
};

struct FleetApplication {
  std::string name;  // empty: not recorded
  FleetCount count;
  uint64_t recordings = 0, builds = 0;
  bool is_compared = false;  // it has at least OutlierRules::fewest_siblings hosts
};

// Findings are distinguished by application, kind and place.
struct FleetHost {
  std::string name;
  uint64_t recordings = 0, processes = 0;
  uint64_t critical = 0, warnings = 0;  // findings
  uint64_t outliers = 0;                // numbers in which it differs
  uint64_t last_unix_ns = 0;            // end of its newest recording
};

struct FleetBuild {
  std::string application, build;
  FleetCount count;
  uint64_t recordings = 0;
  uint64_t critical = 0, warnings = 0;           // findings that it has
  uint64_t new_findings = 0;                     // of these, findings that no older build had
  uint64_t first_unix_ns = 0, last_unix_ns = 0;  // start of its oldest, end of its newest
};

struct Fleet {
  FleetCount count;
  FleetCount ill;             // with a critical finding or a warning
  uint64_t recordings = 0;    // that were read, each once
  uint64_t copies = 0;        // left out: duplicates
  uint64_t parts = 0;         // left out: parts of others that are included
  uint64_t without_host = 0;  // recordings that do not name theirs
  uint64_t without_time = 0;  // recordings on hosts whose clock was not set
  uint64_t first_unix_ns = 0, last_unix_ns = 0;
  std::vector<FleetApplication> applications;  // most processes first
  std::vector<FleetFinding> findings;          // worst first, then those on most hosts
  std::vector<FleetOutlier> outliers;          // farthest first
  std::vector<FleetHost> hosts;    // most critical findings first, then warnings, then by name
  std::vector<FleetBuild> builds;  // by application, the newest first
  std::vector<std::pair<std::string, std::string>> unreadable;  // path and sentence, by path
};

// Makes a fleet from rows, in any order; of their texts, it only keeps those that are shown.
// Memory: a few hundred bytes per recording, and the texts of each distinct finding. Not
// thread-safe.
class FleetBuilder {
 public:
  FleetBuilder();
  ~FleetBuilder();

  void Add(const RecordingRow& row);
  // Reads the row of this path again, as it was when it was added; its contents may have changed
  // since.
  using ReadAgain = std::function<RecordingRow(const std::string& path)>;
  // Call once. `read_again` is called for few recordings: if copies or parts were left out that had
  // the worst of a finding.
  Fleet Finish(const ReadAgain& read_again);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

Fleet FleetOf(std::span<const RecordingRow> rows);

}  // namespace hindsight::analyzer
