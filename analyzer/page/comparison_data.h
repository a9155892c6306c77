// The page's data about two recordings.
#pragma once

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// {"verdict": a sentence, "differences": [{"signal", "direction": "worse" | "better" | "new" |
//  "gone", "is_worse", "title", "evidence", "path": [methods, outermost first], "confidence",
//  "command"}], "left_out": number of omitted differences, "coverage": [{"signal", "state",
//  "looked_at", "note"}], "notes": [sentences]}
Json ComparisonData(const Comparison& comparison, size_t most);

}  // namespace hindsight::analyzer
