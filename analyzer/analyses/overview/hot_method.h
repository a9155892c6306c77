// The method of yours that takes most of the CPU time, to a programmer: the deepest one that still
// has the share. One that only calls others is named where none of these has the share alone, and
// then with them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/overview/overview_rules.h"

namespace hindsight::analyzer {

struct HotMethod {
  const OwnMethod* method = nullptr;  // of the report
  // Where it does little itself: methods of yours further down that have most of its time, most
  // first. Empty: it does much itself, or no few of them have it.
  std::vector<FrameId> through;
  size_t spread_over = 0;  // then: so many methods of yours that it calls; 0: it does much itself
};

// What the JIT compiler took belongs to the start of a process, and to no method.
PathWeight CompilingOf(const CpuProfileReport& report);

// Nothing: no method has such a share.
std::optional<HotMethod> FindHotMethod(const CpuProfileReport& report, const OverviewRules& rules);

}  // namespace hindsight::analyzer
