// The CPU time of the JIT compiler, which is no part of the methods for which it compiles.
#pragma once

#include <optional>
#include <string>

#include "analyzer/analyses/comparison/compared_signal.h"

namespace hindsight::analyzer {

// At most one of them: a difference, if the processes were of the same age; else a sentence.
// Neither: it took about the same time in both, or little.
struct CompilingChange {
  std::optional<Difference> difference;
  std::string note;
};

// Whether both began at the same age of their processes; nullopt: not known.
std::optional<bool> AreOfOneAge(const EventReports& before, const EventReports& after,
                                const ComparisonRules& rules);

CompilingChange CompareCompiling(const ChangeCell& compiling, const EventReports& before,
                                 const Work& before_work, const EventReports& after,
                                 const Work& after_work, const ComparisonRules& rules);

}  // namespace hindsight::analyzer
