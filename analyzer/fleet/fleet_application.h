// The recordings of one application of a fleet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/fleet/fleet.h"
#include "analyzer/fleet/fleet_counters.h"
#include "analyzer/fleet/kept_row.h"

namespace hindsight::analyzer {

// A finding of `Fleet::findings` whose texts are not filled in yet.
struct UnreportedFinding {
  size_t finding = 0;  // index
  const KeptFinding* worst = nullptr;
  const KeptRow* row = nullptr;  // that has it
};

class FleetApplicationRows {
 public:
  // References stay valid, here and below.
  FleetApplicationRows(std::string name, const FleetNames& names)
      : name_(std::move(name)), names_(names) {}

  // Must be called in the order of their paths.
  void Add(const KeptRow& row);
  // Adds the results to `fleet`.
  void Judge(Fleet& fleet, std::vector<UnreportedFinding>& unreported) const;

 private:
  struct Placed {
    const KeptRow* row = nullptr;
    uint32_t process = 0, host = kNone, build = kNone;  // indexes into the members below
  };
  struct Gathered {
    const KeptFinding* worst = nullptr;
    const KeptRow* row = nullptr;
    Counter has;
    std::set<uint32_t> builds;
    bool has_unknown_build = false;
  };

  void JudgeFindings(Fleet& fleet, std::vector<UnreportedFinding>& unreported) const;
  void JudgeBuilds(Fleet& fleet) const;
  void JudgeHosts(Fleet& fleet) const;
  FleetCount Covering(Signal signal) const;
  FirstBuild FirstOf(Signal signal, const Gathered& gathered) const;
  const std::string& BuildName(uint32_t build) const { return names_.builds[builds_[build]]; }

  const std::string name_;
  const FleetNames& names_;
  Numbered<ProcessKey> processes_;
  Numbered<uint32_t> hosts_, builds_;
  std::vector<uint64_t> build_started_;  // start of a build's oldest recording, if known
  std::vector<Placed> rows_;
};

}  // namespace hindsight::analyzer
