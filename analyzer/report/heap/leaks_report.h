// The answer of `hindsight leaks`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "leaks", "heap": see heap_heading.h,
//   "reachable_objects", "reachable_bytes", "piles": looked at,
//   "rules": {"min_count", "min_shape_bytes", "min_bytes", "min_share", "large_share"},
//   "suspects": [{"kind": as "event handlers", "confidence": "high" | "medium" | "low",
//     "type", "count", "retained_bytes", "share", "owners": piles held in this way,
//     "path": [parts], "owner": [[from, field, to], ...]: the same with full names,
//     "example": address, "evidence": [sentences], "advice",
//     "allocated_at": {"path": [methods, innermost first], "samples": that came this way, "of",
//       "with_held": of what they hold as well}, or null where it is unknown}],
//     most retained bytes first,
//   "cleared": [{"type", "count", "retained_bytes", "share", "path", "reason"}]: large, not
//   suspected
// }
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

std::string_view ConfidenceName(LeakConfidence confidence);  // "high", "medium", "low"

std::string LeaksText(const HeapModel& model, const SlotNames& names, const LeakReport& report,
                      const TextStyle& style);
std::string LeaksJson(const HeapModel& model, const SlotNames& names, const LeakReport& report);

}  // namespace hindsight::analyzer
