// What is wrong in many recordings, in how many processes and hosts, and since which build.
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

// How many of them; a host is counted where recordings say theirs.
struct FleetCount {
  uint64_t processes = 0, hosts = 0;
};

// Which build showed a finding first. A build is identified by the module version id of the
// application's own assembly, and is as old as its oldest recording.
struct FirstBuild {
  enum class State : uint8_t {
    kUnknown,       // recordings that have it do not say their build
    kOnlyOne,       // all recordings are of one build
    kFromTheStart,  // the oldest build that looked at it has it
    kSince,         // older builds looked at it and did not have it
  };
  State state = State::kUnknown;
  std::string build;                // that showed it first
  uint64_t first_seen_unix_ns = 0;  // of that build
  uint64_t builds_before = 0;       // that looked at it and did not have it
  uint64_t processes_before = 0;    // of those builds
};

// One finding, by kind and place (FindingKey), of one application.
struct FleetFinding {
  std::string application;
  RowFinding worst;  // of all the same
  std::string path;  // recording that has it
  std::string host;  // of that
  FleetCount has;
  FleetCount of;  // of the application, those that looked at its signal
  FirstBuild first;
};

struct FleetOutlier {
  std::string application, host;
  size_t number = 0;   // of kFleetNumbers
  uint64_t hosts = 0;  // that were compared
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
  uint64_t outliers = 0;                // numbers in which it differs from others
  uint64_t last_unix_ns = 0;            // end of its newest recording
};

struct FleetBuild {
  std::string application, build;
  FleetCount count;
  uint64_t recordings = 0;
  uint64_t critical = 0, warnings = 0;           // findings that it has
  uint64_t new_findings = 0;                     // of them, that no older build had
  uint64_t first_unix_ns = 0, last_unix_ns = 0;  // start of its oldest, end of its newest
};

struct Fleet {
  FleetCount count;
  FleetCount ill;             // with a critical finding or a warning
  uint64_t recordings = 0;    // that were read, each once
  uint64_t copies = 0;        // left out: more of the same
  uint64_t parts = 0;         // left out: what was cut out of one that is here
  uint64_t without_host = 0;  // recordings that do not say theirs
  uint64_t first_unix_ns = 0, last_unix_ns = 0;
  std::vector<FleetApplication> applications;  // most processes first
  std::vector<FleetFinding> findings;          // worst first, then those on most hosts
  std::vector<FleetOutlier> outliers;          // farthest first
  std::vector<FleetHost> hosts;    // most critical findings first, then warnings, then by name
  std::vector<FleetBuild> builds;  // by application, the newest first
  std::vector<std::pair<std::string, std::string>> unreadable;  // path and sentence, by path
};

// Makes a fleet of rows, in any order, of which it keeps no texts but those that are shown. Memory:
// a few hundred bytes for each recording, and the texts of each distinct finding. For one thread.
class FleetBuilder {
 public:
  FleetBuilder();
  ~FleetBuilder();

  void Add(const RecordingRow& row);
  // The row of this path, as it was added; what it says may have changed since.
  using ReadAgain = std::function<RecordingRow(const std::string& path)>;
  // Once. `read_again` is called for few: where recordings were left out, as copies or parts, that
  // had the worst of a finding.
  Fleet Finish(const ReadAgain& read_again);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

Fleet FleetOf(std::span<const RecordingRow> rows);

}  // namespace hindsight::analyzer
