// Merges differences in several signals that have one cause into that cause.
#pragma once

#include <vector>

#include "analyzer/analyses/comparison/comparison.h"

namespace hindsight::analyzer {

// Takes out what follows from another difference - the CPU time and the allocations of a method
// that throws or waits more, the little that threads wait elsewhere beside it, the collections that
// more allocations cause - and appends it to the evidence of that one.
void FoldConsequences(std::vector<Difference>& differences, const ComparisonRules& rules = {});

}  // namespace hindsight::analyzer
