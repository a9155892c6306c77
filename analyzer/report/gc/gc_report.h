// The answer of `hindsight gc`, for a person and as JSON. Pure functions.
//
// JSON, schema 1 (times in nanoseconds from the recording's start):
// {
//   "schema": 1, "command": "gc", "recording": see report/json.h,
//   "from_ns", "to_ns": the time that all of this is about,
//   "healthy", "verdict": a sentence,
//   "findings": [{"kind", "severity": "bad" | "warning" | "note", "title", "evidence", "next",
//     "cost_ns", "count", "longest_ns", "longest_at_ns"}], worst first,
//   "pauses": {"count", "total_ns", "share_of_time", "stopping_ns", "p50_ns", "p99_ns", "max_ns",
//     "by_kind": [{"kind": "gen0" | "gen1" | "gen2_blocking" | "gen2_background" |
//       "unknown_collection" | "upkeep" | "code_change" | "thread_snapshot" | "debugger" |
//       "shutdown", and the same figures}],
//     "worst": [{"at_ns", "total_ns", "stopping_ns", "kind", "collection": its number or null}]},
//   "collections": {"count", "by_generation": [3], "induced", "detailed",
//     "by_reason": [{"generation", "background", "reason": the runtime's GCReason or null, "why",
//       "induced", "count", "compacting", "pause_ns", "worst_pause_ns", "promoted_bytes"}]},
//   "heap": null, or {"first_bytes", "last_bytes", "peak_bytes", "peak_at_ns", "committed_bytes",
//     "peak_committed_bytes", "peak_memory_load_percent", "heaps", "generations": [{"name",
//     "first_bytes", "last_bytes", "peak_bytes", "free_bytes", "promoted_bytes"}]},
//   "slices": [{"from_ns", "to_ns", "collections": [3], "pause_ns", "longest_pause_ns",
//     "heap_bytes", "generations": [5], "promoted_bytes", "pinned_objects"}],
//   "jit": null, or {"methods", "time_ns", "background_ns", "r2r_rejected", "tiers": [...]},
//   "collect_callers": [{"method", "samples"}]
// }
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct GcTextOptions {
  TextStyle style;
  size_t top = 10;  // pauses and reasons shown; 0: all
};

std::string GcText(const GcReport& report, const GcTextOptions& options);
std::string GcJson(const GcReport& report);

}  // namespace hindsight::analyzer
