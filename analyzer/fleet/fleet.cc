#include "analyzer/fleet/fleet.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyzer/fleet/finding_texts.h"
#include "analyzer/fleet/fleet_application.h"
#include "analyzer/fleet/fleet_counters.h"
#include "analyzer/fleet/kept_row.h"

namespace hindsight::analyzer {
namespace {

// A clock that nobody has set begins in 1970, or when its device was made: what it says is no time.
constexpr uint64_t kClocksAreSet = 1'735'689'600'000'000'000;  // 2025

// The hosts of all applications.
class Hosts {
 public:
  explicit Hosts(const FleetNames& names) : names_(names) {}

  void Add(const KeptRow& row, uint32_t process) {
    if (row.host == kNone) return;
    Found& found = hosts_[names_.hosts[row.host]];
    ++found.recordings;
    found.processes.insert(process);
    if (row.started_unix_ns != 0) {
      found.last_unix_ns = std::max(found.last_unix_ns, row.end_unix_ns);
    }
    for (const KeptFinding& finding : row.findings) {
      found.worst.Add({row.application, finding.key}, finding.severity);
    }
  }

  void Report(Fleet& fleet) const {
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
    WorstOf<std::pair<uint32_t, uint32_t>> worst;  // keyed by application and key
  };
  const FleetNames& names_;
  std::map<std::string, Found> hosts_;
};

bool IsIllRow(const KeptRow& row) {
  return std::any_of(row.findings.begin(), row.findings.end(), [](const KeptFinding& finding) {
    return finding.severity != Severity::kNote;
  });
}

// Of copies of one recording, made while it was being written or cut off on the way, the one that
// counts: what reaches furthest, then what begins first, then what has more in it.
bool HasMore(const KeptRow& a, const KeptRow& b) {
  if (a.end_unix_ns != b.end_unix_ns) return a.end_unix_ns > b.end_unix_ns;
  if (a.started_unix_ns != b.started_unix_ns) return a.started_unix_ns < b.started_unix_ns;
  if (a.covered != b.covered) return std::popcount(a.covered) > std::popcount(b.covered);
  return a.findings.size() > b.findings.size();
}

// Recordings by id. Others may be parts of them. A whole recording that rotates may have lost what
// a part still has: only parts that it still contains are left out.
class Wholes {
 public:
  explicit Wholes(std::span<const KeptRow* const> rows) {
    for (const KeptRow* row : rows) {
      const KeptRow*& kept = rows_.try_emplace(row->recording_id, row).first->second;
      if (HasMore(*row, *kept)) kept = row;
    }
  }

  bool Contain(const KeptRow& part) const {
    const auto whole = part.part_of == 0 ? rows_.end() : rows_.find(part.part_of);
    return whole != rows_.end() && whole->second->part_of == 0 &&
           whole->second->started_unix_ns <= part.started_unix_ns &&
           part.end_unix_ns <= whole->second->end_unix_ns;
  }
  bool Has(const KeptRow& row) const { return rows_.at(row.recording_id) == &row; }

 private:
  std::unordered_map<uint64_t, const KeptRow*> rows_;
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

// Fills in texts for findings whose recordings are read again, once each.
void FillFrom(const RecordingRow& row, const UnreportedFinding& unreported, RowFinding& reported) {
  for (const RowFinding& finding : row.findings) {
    if (KeyOf(finding) != KeyOf(reported)) continue;
    reported.title = finding.title;
    reported.command = finding.command;
    const bool is_this = finding.severity == unreported.worst->severity &&
                         finding.impact == unreported.worst->impact;
    if (is_this) return;
  }
}

}  // namespace

struct FleetBuilder::Kept {
  FleetNames names;
  FindingTexts texts;
  std::vector<KeptRow> rows;
  std::vector<std::pair<std::string, std::string>> unreadable;

  void Report(std::vector<UnreportedFinding> unreported, const ReadAgain& read_again,
              Fleet& fleet) const;
};

FleetBuilder::FleetBuilder() : kept_(std::make_unique<Kept>()) {}
FleetBuilder::~FleetBuilder() = default;

void FleetBuilder::Add(const RecordingRow& row) {
  if (!row.error.empty()) {
    kept_->unreadable.emplace_back(row.path, row.error);
    return;
  }
  FleetNames& names = kept_->names;
  KeptRow& kept = kept_->rows.emplace_back();
  kept.path = row.path;
  kept.recording_id = row.recording_id;
  kept.part_of = row.part_of;
  kept.process_started_unix_ns = row.process_started_unix_ns;
  kept.started_unix_ns = row.started_unix_ns < kClocksAreSet ? 0 : row.started_unix_ns;
  kept.end_unix_ns = kept.started_unix_ns + row.duration_ns;
  kept.pid = row.pid;
  kept.covered = row.covered;
  kept.application = names.applications.Of(row.application);
  if (!row.host.empty()) kept.host = names.hosts.Of(row.host);
  if (!row.build.empty()) kept.build = names.builds.Of(row.build);
  kept.numbers = row.numbers;
  kept.findings.reserve(row.findings.size());
  for (const RowFinding& finding : row.findings) {
    kept.findings.push_back({finding.impact, names.findings.Of(KeyOf(finding)), finding.severity});
    kept_->texts.Offer(finding, kept.findings.back(), kept);
  }
}

// Fills in the texts that are kept and then, recording by recording, the others.
void FleetBuilder::Kept::Report(std::vector<UnreportedFinding> unreported,
                                const ReadAgain& read_again, Fleet& fleet) const {
  std::map<std::string, std::vector<UnreportedFinding>> again;  // keyed by path
  for (const UnreportedFinding& one : unreported) {
    const FindingText* const held = texts.Find(*one.worst, *one.row);
    const FindingText& text = held != nullptr ? *held : texts.Any(*one.worst, *one.row);
    fleet.findings[one.finding].worst.title = text.title;
    fleet.findings[one.finding].worst.command = text.command;
    if (held == nullptr) again[one.row->path].push_back(one);
  }
  for (const auto& [path, of_path] : again) {
    const RecordingRow row = read_again(path);
    for (const UnreportedFinding& one : of_path) {
      FillFrom(row, one, fleet.findings[one.finding].worst);
    }
  }
}

Fleet FleetBuilder::Finish(const ReadAgain& read_again) {
  Fleet fleet;
  fleet.unreadable = std::move(kept_->unreadable);
  const FleetNames& names = kept_->names;
  // So that the result does not depend on the order of reading.
  std::vector<const KeptRow*> ordered;
  for (const KeptRow& row : kept_->rows) ordered.push_back(&row);
  std::sort(ordered.begin(), ordered.end(), [](const KeptRow* a, const KeptRow* b) {
    return std::tie(a->path, a->recording_id) < std::tie(b->path, b->recording_id);
  });
  std::map<std::string, FleetApplicationRows> applications;
  Numbered<std::pair<uint32_t, ProcessKey>> processes;
  Counter all, ill;
  Hosts by_host(names);
  const Wholes wholes(ordered);
  for (const KeptRow* row : ordered) {
    if (wholes.Contain(*row)) {
      ++fleet.parts;
      continue;
    }
    if (!wholes.Has(*row)) {
      ++fleet.copies;
      continue;
    }
    ++fleet.recordings;
    if (row->host == kNone) ++fleet.without_host;
    if (row->started_unix_ns == 0) {
      ++fleet.without_time;
    } else {
      fleet.first_unix_ns = fleet.first_unix_ns == 0
                                ? row->started_unix_ns
                                : std::min(fleet.first_unix_ns, row->started_unix_ns);
      fleet.last_unix_ns = std::max(fleet.last_unix_ns, row->end_unix_ns);
    }
    const uint32_t process = processes.Of({row->application, ProcessOf(*row)});
    all.Add(process, row->host);
    by_host.Add(*row, process);
    if (IsIllRow(*row)) ill.Add(process, row->host);
    const std::string& name = names.applications[row->application];
    applications.try_emplace(name, name, names).first->second.Add(*row);
  }
  fleet.count = all.count();
  fleet.ill = ill.count();
  std::vector<UnreportedFinding> unreported;
  for (const auto& [name, application] : applications) application.Judge(fleet, unreported);
  kept_->Report(std::move(unreported), read_again, fleet);
  by_host.Report(fleet);
  Order(fleet);
  return fleet;
}

Fleet FleetOf(std::span<const RecordingRow> rows) {
  FleetBuilder builder;
  std::unordered_map<std::string_view, const RecordingRow*> by_path;
  for (const RecordingRow& row : rows) {
    builder.Add(row);
    by_path.try_emplace(row.path, &row);
  }
  return builder.Finish([&by_path](const std::string& path) { return *by_path.at(path); });
}

}  // namespace hindsight::analyzer
