// Levels: what the process has at the end of a recording, such as memory. They depend on what
// happened before, on the load, and on when the collector ran, so none is a certain difference.
#pragma once

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Adds a note for each level that is a different one, and sets `perhaps` for one that is far from
// the other, if nothing is there yet.
void CompareLevels(const Model& before, const Model& after, const ComparisonRules& rules,
                   Comparison& comparison);

}  // namespace hindsight::analyzer
