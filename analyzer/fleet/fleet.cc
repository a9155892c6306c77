#include "analyzer/fleet/fleet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/analyses/overview/finding_key.h"

namespace hindsight::analyzer {
namespace {

// Rows as numbers: an index into the processes, hosts or builds of one application. kNone: unknown.
constexpr uint32_t kNone = UINT32_MAX;

struct Placed {
  const RecordingRow* row = nullptr;
  uint32_t process = 0, host = kNone, build = kNone;
};

// Numbers things in the order in which they come.
template <typename Key>
class Numbers {
 public:
  uint32_t Of(const Key& key) {
    return numbers_.try_emplace(key, static_cast<uint32_t>(numbers_.size())).first->second;
  }
  size_t size() const { return numbers_.size(); }

 private:
  std::map<Key, uint32_t> numbers_;
};

// What a recording is of: a process is recorded more than once where somebody attaches again.
using ProcessKey = std::tuple<std::string, uint32_t, uint64_t, uint64_t>;

ProcessKey ProcessOf(const RecordingRow& row) {
  if (row.pid == 0 || row.process_started_unix_ns == 0) return {"", 0, 0, row.recording_id};
  return {row.host, row.pid, row.process_started_unix_ns, 0};
}

// Distinct processes and hosts.
class Counter {
 public:
  void Add(const Placed& placed) {
    processes_.insert(placed.process);
    if (placed.host != kNone) hosts_.insert(placed.host);
  }
  FleetCount count() const { return {processes_.size(), hosts_.size()}; }

 private:
  std::unordered_set<uint32_t> processes_, hosts_;
};

uint64_t EndOf(const RecordingRow& row) { return row.started_unix_ns + row.duration_ns; }

// Of each finding, how bad it was where it was worst.
template <typename Key>
class WorstOf {
 public:
  void Add(const Key& key, Severity severity) {
    Severity& worst = worst_.try_emplace(key, severity).first->second;
    worst = std::min(worst, severity);
  }
  // Calls f(key) for those that are no notes, which are counted in `row`.
  template <typename Row, typename F>
  void Count(Row& row, F f) const {
    for (const auto& [key, severity] : worst_) {
      if (severity == Severity::kNote) continue;
      ++(severity == Severity::kCritical ? row.critical : row.warnings);
      f(key);
    }
  }

 private:
  std::map<Key, Severity> worst_;
};

bool IsWorse(const RowFinding& one, const RowFinding& other) {
  if (one.severity != other.severity) return one.severity < other.severity;
  return one.impact > other.impact;
}

struct Gathered {
  const RowFinding* worst = nullptr;
  const RecordingRow* row = nullptr;
  Counter has;
  std::set<uint32_t> builds;
  bool has_unknown_build = false;
};

class Application {
 public:
  explicit Application(std::string name) : name_(std::move(name)) {}

  void Add(const RecordingRow& row) {
    Placed placed{.row = &row, .process = processes_.Of(ProcessOf(row))};
    if (!row.host.empty()) {
      placed.host = hosts_.Of(row.host);
      if (placed.host == host_names_.size()) host_names_.push_back(row.host);
    }
    if (!row.build.empty()) {
      placed.build = builds_.Of(row.build);
      if (placed.build == build_names_.size()) {
        build_names_.push_back(row.build);
        build_started_.push_back(row.started_unix_ns);
      }
      build_started_[placed.build] = std::min(build_started_[placed.build], row.started_unix_ns);
    }
    rows_.push_back(placed);
  }

  void Judge(Fleet& fleet) const {
    FleetApplication application;
    application.name = name_;
    application.count = {processes_.size(), hosts_.size()};
    application.recordings = rows_.size();
    application.builds = builds_.size();
    application.is_compared = hosts_.size() >= OutlierRules{}.fewest_siblings;
    fleet.applications.push_back(std::move(application));
    JudgeFindings(fleet);
    JudgeBuilds(fleet);
    if (hosts_.size() >= OutlierRules{}.fewest_siblings) JudgeHosts(fleet);
  }

 private:
  void JudgeFindings(Fleet& fleet) const {
    std::map<FindingKey, Gathered> all;
    for (const Placed& placed : rows_) {
      for (const RowFinding& finding : placed.row->findings) {
        Gathered& gathered = all[KeyOf(finding)];
        if (gathered.worst == nullptr || IsWorse(finding, *gathered.worst)) {
          gathered.worst = &finding;
          gathered.row = placed.row;
        }
        gathered.has.Add(placed);
        if (placed.build == kNone) {
          gathered.has_unknown_build = true;
        } else {
          gathered.builds.insert(placed.build);
        }
      }
    }
    std::array<std::optional<FleetCount>, kComparedSignals> covered;
    for (const auto& [key, gathered] : all) {
      std::optional<FleetCount>& of = covered[static_cast<size_t>(key.signal)];
      if (!of) of = Covering(key.signal);
      fleet.findings.push_back({.application = name_,
                                .worst = *gathered.worst,
                                .path = gathered.row->path,
                                .host = gathered.row->host,
                                .has = gathered.has.count(),
                                .of = *of,
                                .first = FirstOf(key.signal, gathered)});
    }
  }

  // A build of its own has no older ones that could have had a finding.
  void JudgeBuilds(Fleet& fleet) const {
    struct Found {
      Counter count;
      WorstOf<FindingKey> worst;
      uint64_t recordings = 0, last_unix_ns = 0;
    };
    std::vector<Found> all(builds_.size());
    std::map<FindingKey, uint32_t> oldest;  // build that has it
    for (const Placed& placed : rows_) {
      if (placed.build == kNone) continue;
      Found& found = all[placed.build];
      found.count.Add(placed);
      ++found.recordings;
      found.last_unix_ns = std::max(found.last_unix_ns, EndOf(*placed.row));
      for (const RowFinding& finding : placed.row->findings) {
        const FindingKey key = KeyOf(finding);
        found.worst.Add(key, finding.severity);
        uint32_t& first = oldest.try_emplace(key, placed.build).first->second;
        if (build_started_[placed.build] < build_started_[first]) first = placed.build;
      }
    }
    const size_t begin = fleet.builds.size();
    for (uint32_t build = 0; build < all.size(); ++build) {
      FleetBuild row;
      row.application = name_;
      row.build = build_names_[build];
      row.count = all[build].count.count();
      row.recordings = all[build].recordings;
      row.first_unix_ns = build_started_[build];
      row.last_unix_ns = all[build].last_unix_ns;
      all[build].worst.Count(row, [&](const FindingKey& key) {
        if (oldest[key] == build) ++row.new_findings;
      });
      fleet.builds.push_back(std::move(row));
    }
    std::stable_sort(
        fleet.builds.begin() + static_cast<std::ptrdiff_t>(begin), fleet.builds.end(),
        [](const FleetBuild& a, const FleetBuild& b) { return a.first_unix_ns > b.first_unix_ns; });
  }

  FleetCount Covering(Signal signal) const {
    Counter counter;
    for (const Placed& placed : rows_) {
      if (placed.row->covers(signal)) counter.Add(placed);
    }
    return counter.count();
  }

  FirstBuild FirstOf(Signal signal, const Gathered& gathered) const {
    FirstBuild first;
    if (gathered.builds.empty() || gathered.has_unknown_build) return first;
    const uint32_t build = *std::min_element(
        gathered.builds.begin(), gathered.builds.end(),
        [this](uint32_t a, uint32_t b) { return build_started_[a] < build_started_[b]; });
    first.build = build_names_[build];
    first.first_seen_unix_ns = build_started_[build];
    std::set<uint32_t> builds, processes;
    for (const Placed& placed : rows_) {
      if (placed.build == kNone || build_started_[placed.build] >= build_started_[build] ||
          !placed.row->covers(signal)) {
        continue;
      }
      builds.insert(placed.build);
      processes.insert(placed.process);
    }
    first.builds_before = builds.size();
    first.processes_before = processes.size();
    first.state = !builds.empty()       ? FirstBuild::State::kSince
                  : builds_.size() == 1 ? FirstBuild::State::kOnlyOne
                                        : FirstBuild::State::kFromTheStart;
    return first;
  }

  // By host: the median of its recordings.
  void JudgeHosts(Fleet& fleet) const {
    for (size_t number = 0; number < kFleetNumbers.size(); ++number) {
      std::map<uint32_t, std::vector<double>> by_host;
      for (const Placed& placed : rows_) {
        const std::optional<double>& value = placed.row->numbers[number];
        if (placed.host != kNone && value) by_host[placed.host].push_back(*value);
      }
      std::vector<uint32_t> hosts;
      std::vector<double> values;
      for (auto& [host, of_host] : by_host) {
        hosts.push_back(host);
        values.push_back(MedianOf(std::move(of_host)));
      }
      for (const Outlier& outlier : FindOutliers(values, kFleetNumbers[number].notable)) {
        fleet.outliers.push_back({.application = name_,
                                  .host = host_names_[hosts[outlier.host]],
                                  .number = number,
                                  .hosts = hosts.size(),
                                  .outlier = outlier});
      }
    }
  }

  std::string name_;
  Numbers<ProcessKey> processes_;
  Numbers<std::string> hosts_, builds_;
  std::vector<std::string> host_names_, build_names_;
  std::vector<uint64_t> build_started_;  // of a build's oldest recording
  std::vector<Placed> rows_;
};

// Of all applications.
class Hosts {
 public:
  void Add(const RecordingRow& row, uint32_t process) {
    if (row.host.empty()) return;
    Found& found = hosts_[row.host];
    ++found.recordings;
    found.processes.insert(process);
    found.last_unix_ns = std::max(found.last_unix_ns, EndOf(row));
    for (const RowFinding& finding : row.findings) {
      found.worst.Add({row.application, KeyOf(finding)}, finding.severity);
    }
  }

  void Tell(Fleet& fleet) const {
    std::unordered_map<std::string_view, uint64_t> outliers;
    for (const FleetOutlier& outlier : fleet.outliers) ++outliers[outlier.host];
    for (const auto& [name, found] : hosts_) {
      FleetHost host{.name = name,
                     .recordings = found.recordings,
                     .processes = found.processes.size(),
                     .outliers = outliers[name],
                     .last_unix_ns = found.last_unix_ns};
      found.worst.Count(host, [](const auto&) {});
      fleet.hosts.push_back(std::move(host));
    }
    std::stable_sort(fleet.hosts.begin(), fleet.hosts.end(),
                     [](const FleetHost& a, const FleetHost& b) {
                       return std::tie(a.critical, a.warnings) > std::tie(b.critical, b.warnings);
                     });
  }

 private:
  struct Found {
    uint64_t recordings = 0, last_unix_ns = 0;
    std::unordered_set<uint32_t> processes;
    WorstOf<std::pair<std::string, FindingKey>> worst;
  };
  std::map<std::string, Found> hosts_;
};

bool IsIllRow(const RecordingRow& row) {
  return std::any_of(row.findings.begin(), row.findings.end(),
                     [](const RowFinding& finding) { return finding.severity != Severity::kNote; });
}

// Recordings by id, that others may be parts of. A whole that is a ring has forgotten what a part
// may still have: only what it has itself is left out.
class Wholes {
 public:
  explicit Wholes(std::span<const RecordingRow* const> rows) {
    for (const RecordingRow* row : rows) {
      if (row->part_of == 0) rows_.try_emplace(row->recording_id, row);
    }
  }

  bool Contain(const RecordingRow& part) const {
    const auto whole = part.part_of == 0 ? rows_.end() : rows_.find(part.part_of);
    return whole != rows_.end() && whole->second->started_unix_ns <= part.started_unix_ns &&
           EndOf(part) <= EndOf(*whole->second);
  }

 private:
  std::unordered_map<uint64_t, const RecordingRow*> rows_;
};

void Order(Fleet& fleet) {
  std::sort(fleet.unreadable.begin(), fleet.unreadable.end());
  std::stable_sort(fleet.applications.begin(), fleet.applications.end(),
                   [](const FleetApplication& a, const FleetApplication& b) {
                     return a.count.processes > b.count.processes;
                   });
  std::stable_sort(fleet.findings.begin(), fleet.findings.end(),
                   [](const FleetFinding& a, const FleetFinding& b) {
                     if (a.worst.severity != b.worst.severity) {
                       return a.worst.severity < b.worst.severity;
                     }
                     if (a.has.hosts != b.has.hosts) return a.has.hosts > b.has.hosts;
                     if (a.has.processes != b.has.processes) {
                       return a.has.processes > b.has.processes;
                     }
                     return a.worst.impact > b.worst.impact;
                   });
  std::stable_sort(fleet.outliers.begin(), fleet.outliers.end(),
                   [](const FleetOutlier& a, const FleetOutlier& b) {
                     return std::abs(a.outlier.distance) > std::abs(b.outlier.distance);
                   });
}

}  // namespace

Fleet FleetOf(std::span<const RecordingRow> rows) {
  Fleet fleet;
  std::vector<const RecordingRow*> ordered;
  for (const RecordingRow& row : rows) {
    if (row.error.empty()) {
      ordered.push_back(&row);
    } else {
      fleet.unreadable.emplace_back(row.path, row.error);
    }
  }
  // What comes out does not depend on who read what first.
  std::sort(ordered.begin(), ordered.end(),
            [](const RecordingRow* a, const RecordingRow* b) { return a->path < b->path; });
  std::map<std::string, Application> applications;
  std::unordered_set<uint64_t> seen;
  Numbers<std::pair<std::string, ProcessKey>> processes;
  Numbers<std::string> hosts;
  Counter all, ill;
  Hosts by_host;
  const Wholes wholes(ordered);
  for (const RecordingRow* row : ordered) {
    if (wholes.Contain(*row)) {
      ++fleet.parts;
      continue;
    }
    if (!seen.insert(row->recording_id).second) {
      ++fleet.copies;
      continue;
    }
    ++fleet.recordings;
    if (row->host.empty()) ++fleet.without_host;
    if (row->started_unix_ns != 0) {
      fleet.first_unix_ns = fleet.first_unix_ns == 0
                                ? row->started_unix_ns
                                : std::min(fleet.first_unix_ns, row->started_unix_ns);
      fleet.last_unix_ns = std::max(fleet.last_unix_ns, EndOf(*row));
    }
    const Placed placed{.row = row,
                        .process = processes.Of({row->application, ProcessOf(*row)}),
                        .host = row->host.empty() ? kNone : hosts.Of(row->host)};
    all.Add(placed);
    by_host.Add(*row, placed.process);
    if (IsIllRow(*row)) ill.Add(placed);
    applications.try_emplace(row->application, row->application).first->second.Add(*row);
  }
  fleet.count = all.count();
  fleet.ill = ill.count();
  for (const auto& [name, application] : applications) application.Judge(fleet);
  by_host.Tell(fleet);
  Order(fleet);
  return fleet;
}

}  // namespace hindsight::analyzer
