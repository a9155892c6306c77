// The method of yours that takes most of the CPU time, from a programmer's view: the deepest one
// that has the required share. A method that only calls others is reported only if none of these
// has the share by itself, and then together with them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/overview/overview_rules.h"

namespace hindsight::analyzer {

struct HotMethod {
  const OwnMethod* method = nullptr;  // of the report
  // If it does little itself: the methods of yours further down that have most of its time, most
  // first. Empty: it does much itself, or its time is spread over too many.
  std::vector<FrameId> through;
  size_t spread_over = 0;  // in the latter case: the number of methods of yours that it calls; 0:
                           // it does much itself
};

// The time of the JIT belongs to the start of a process, not to a method.
PathWeight CompilingOf(const CpuProfileReport& report);

// Finding::impact of what takes so much of the CPU time: of that, and of the processors.
double ImpactOf(const CpuProfileReport& report, const PathWeight& part);

// nullopt: no method has the required share.
std::optional<HotMethod> FindHotMethod(const CpuProfileReport& report, const OverviewRules& rules);

}  // namespace hindsight::analyzer
