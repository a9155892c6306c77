// Counts things of a fleet, each once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_set>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/fleet/fleet.h"
#include "analyzer/fleet/kept_row.h"

namespace hindsight::analyzer {

// Identifies the process of a recording, which may be recorded more than once, by attaching again.
using ProcessKey = std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>;

inline ProcessKey ProcessOf(const KeptRow& row) {
  if (row.pid == 0 || row.process_started_unix_ns == 0) return {kNone, 0, 0, row.recording_id};
  return {row.host, row.pid, row.process_started_unix_ns, 0};
}

// Distinct processes and hosts.
class Counter {
 public:
  void Add(uint32_t process, uint32_t host) {
    processes_.insert(process);
    if (host != kNone) hosts_.insert(host);
  }
  FleetCount count() const { return {processes_.size(), hosts_.size()}; }

 private:
  std::unordered_set<uint32_t> processes_, hosts_;
};

// The worst severity of each finding.
template <typename Key>
class WorstOf {
 public:
  void Add(const Key& key, Severity severity) {
    Severity& worst = worst_.try_emplace(key, severity).first->second;
    worst = std::min(worst, severity);
  }
  // Calls f(key) for those that are not notes, and counts them in `row`.
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

}  // namespace hindsight::analyzer
