// Merges differences in several signals that have the same cause into that cause.
#pragma once

#include <vector>

#include "analyzer/analyses/comparison/comparison.h"

namespace hindsight::analyzer {

// Removes what follows from another difference - the CPU time and the allocations of a method that
// throws or waits more, small changes of waits elsewhere, the collections that more allocations
// cause - and appends it to the evidence of that difference.
void FoldConsequences(std::vector<Difference>& differences, const ComparisonRules& rules = {});

}  // namespace hindsight::analyzer
