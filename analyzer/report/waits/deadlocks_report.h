// The answer of `hindsight deadlocks`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "deadlocks", "source": "heap" | "events", "heap" or "recording": {...},
//   "deadlocks": [{"kind", "confidence": "certain" | "likely" | "possible",
//     "members": [{"thread": {"os_id", "name"} or null, "task": {"id" or null, "type"} or null,
//       "waits_for": {"kind", "type", "object"}, "holds": [the same], "since_ns" or null,
//       "taken_at" or null, "stack": [innermost first]}],
//     "cause": what nobody brings on, where there are no members; else null,
//     "victims", "crowd": [{"count", "waits_for", "at"}], "evidence": [sentences]}],
//   "looked_at": {"threads", "blocked_threads", "locks", "tasks", "unfinished_tasks", ...},
//   "notes": [sentences]
// }
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

std::string_view ConfidenceName(Proof proof);  // "certain", "likely", "possible"

// Where the report comes from: one of them.
struct DeadlockOrigin {
  const HeapModel* heap = nullptr;
  const Model* events = nullptr;
};

std::string DeadlocksText(const DeadlockOrigin& origin, const DeadlockReport& report,
                          const TextStyle& style);
std::string DeadlocksJson(const DeadlockOrigin& origin, const DeadlockReport& report);

}  // namespace hindsight::analyzer
