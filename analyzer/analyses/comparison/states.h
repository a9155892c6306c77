// Differences in state between two recordings: not sampled, so present or absent.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

// Difference::measure of what follows: how many findings there are.
inline constexpr std::string_view kStateMeasure = "findings.count";

// Appends findings that only one of the two has: deadlocks, stuck tasks, dead threads, a starved
// pool, locks that stop everything, requests that pile up, exceptions that ended the process. Where
// it is not certain that requests hang or pile up, a note.
void CompareStates(const Reports& before, const Reports& after,
                   const std::function<bool(Signal)>& is_compared, const ComparisonRules& rules,
                   Comparison& comparison);

// Appends what grew and what shrank between the newest snapshots, by the path that holds it: as a
// difference or, if it is the framework's own, as a note. Returns what was examined.
std::string CompareSnapshots(const HeapReports& before, const HeapReports& after,
                             const ComparisonRules& rules, Comparison& comparison);

}  // namespace hindsight::analyzer
