#include "analyzer/fleet/fleet_application.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analyzer/fleet/outliers.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kNoTime = UINT64_MAX;  // later than all others

}  // namespace

void FleetApplicationRows::Add(const KeptRow& row) {
  Placed placed{.row = &row, .process = processes_.Of(ProcessOf(row))};
  if (row.host != kNone) placed.host = hosts_.Of(row.host);
  if (row.build != kNone) {
    placed.build = builds_.Of(row.build);
    if (placed.build == build_started_.size()) build_started_.push_back(kNoTime);
    uint64_t& started = build_started_[placed.build];
    if (row.started_unix_ns != 0) started = std::min(started, row.started_unix_ns);
  }
  rows_.push_back(placed);
}

void FleetApplicationRows::Judge(Fleet& fleet, std::vector<UnreportedFinding>& unreported) const {
  const bool is_compared = hosts_.size() >= OutlierRules{}.fewest_siblings;
  fleet.applications.push_back({.name = name_,
                                .count = {processes_.size(), hosts_.size()},
                                .recordings = rows_.size(),
                                .builds = builds_.size(),
                                .is_compared = is_compared});
  JudgeFindings(fleet, unreported);
  JudgeBuilds(fleet);
  if (is_compared) JudgeHosts(fleet);
}

void FleetApplicationRows::JudgeFindings(Fleet& fleet,
                                         std::vector<UnreportedFinding>& unreported) const {
  std::map<uint32_t, Gathered> by_key;
  for (const Placed& placed : rows_) {
    for (const KeptFinding& finding : placed.row->findings) {
      Gathered& gathered = by_key[finding.key];
      if (gathered.worst == nullptr || IsWorse(finding, *gathered.worst)) {
        gathered.worst = &finding;
        gathered.row = placed.row;
      }
      gathered.has.Add(placed.process, placed.host);
      if (placed.build == kNone) {
        gathered.has_unknown_build = true;
      } else {
        gathered.builds.insert(placed.build);
      }
    }
  }
  // Keys were numbered as recordings were read, which differs from run to run.
  std::map<FindingKey, const Gathered*> all;
  for (const auto& [key, gathered] : by_key) all.emplace(names_.findings[key], &gathered);
  std::array<std::optional<FleetCount>, kComparedSignals> covered;
  for (const auto& [key, gathered] : all) {
    std::optional<FleetCount>& of = covered[static_cast<size_t>(key.signal)];
    if (!of) of = Covering(key.signal);
    const KeptRow& row = *gathered->row;
    const KeptFinding& worst = *gathered->worst;
    FleetFinding& finding = fleet.findings.emplace_back();
    finding.application = name_;
    finding.worst.severity = worst.severity;
    finding.worst.signal = key.signal;
    finding.worst.kind = key.kind;
    finding.worst.subject = key.subject;
    finding.worst.impact = worst.impact;
    finding.path = row.path;
    if (row.host != kNone) finding.host = names_.hosts[row.host];
    finding.has = gathered->has.count();
    finding.of = *of;
    finding.first = FirstOf(key.signal, *gathered);
    unreported.push_back({fleet.findings.size() - 1, &worst, &row});
  }
}

// The only build has no older ones that could have had a finding.
void FleetApplicationRows::JudgeBuilds(Fleet& fleet) const {
  struct Found {
    Counter count;
    WorstOf<uint32_t> worst;
    uint64_t recordings = 0, last_unix_ns = 0;
  };
  std::vector<Found> all(builds_.size());
  std::map<uint32_t, uint32_t> oldest;  // build that has it
  for (const Placed& placed : rows_) {
    if (placed.build == kNone) continue;
    Found& found = all[placed.build];
    found.count.Add(placed.process, placed.host);
    ++found.recordings;
    if (placed.row->started_unix_ns != 0) {
      found.last_unix_ns = std::max(found.last_unix_ns, placed.row->end_unix_ns);
    }
    for (const KeptFinding& finding : placed.row->findings) {
      const uint32_t key = finding.key;
      found.worst.Add(key, finding.severity);
      uint32_t& first = oldest.try_emplace(key, placed.build).first->second;
      if (build_started_[placed.build] < build_started_[first]) first = placed.build;
    }
  }
  const size_t begin = fleet.builds.size();
  for (uint32_t build = 0; build < all.size(); ++build) {
    FleetBuild row;
    row.application = name_;
    row.build = BuildName(build);
    row.count = all[build].count.count();
    row.recordings = all[build].recordings;
    row.first_unix_ns = build_started_[build] == kNoTime ? 0 : build_started_[build];
    row.last_unix_ns = all[build].last_unix_ns;
    all[build].worst.Count(row, [&](uint32_t key) {
      if (oldest[key] == build) ++row.new_findings;
    });
    fleet.builds.push_back(std::move(row));
  }
  std::stable_sort(
      fleet.builds.begin() + static_cast<std::ptrdiff_t>(begin), fleet.builds.end(),
      [](const FleetBuild& a, const FleetBuild& b) { return a.first_unix_ns > b.first_unix_ns; });
}

FleetCount FleetApplicationRows::Covering(Signal signal) const {
  Counter counter;
  for (const Placed& placed : rows_) {
    if (placed.row->covers(signal)) counter.Add(placed.process, placed.host);
  }
  return counter.count();
}

FirstBuild FleetApplicationRows::FirstOf(Signal signal, const Gathered& gathered) const {
  FirstBuild first;
  if (gathered.builds.empty() || gathered.has_unknown_build) return first;
  const uint32_t build = *std::min_element(
      gathered.builds.begin(), gathered.builds.end(),
      [this](uint32_t a, uint32_t b) { return build_started_[a] < build_started_[b]; });
  first.build = BuildName(build);
  // A build of unknown time may be older than any other.
  const bool has_order =
      std::find(build_started_.begin(), build_started_.end(), kNoTime) == build_started_.end();
  if (!has_order && builds_.size() > 1) return first;
  if (has_order) first.first_seen_unix_ns = build_started_[build];
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

// The median of each host's recordings.
void FleetApplicationRows::JudgeHosts(Fleet& fleet) const {
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
                                .host = names_.hosts[hosts_[hosts[outlier.host]]],
                                .number = number,
                                .hosts = hosts.size(),
                                .outlier = outlier});
    }
  }
}

}  // namespace hindsight::analyzer
