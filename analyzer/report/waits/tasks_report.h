// The answer of `hindsight tasks`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "tasks", "heap": {...},
//   "groups": [{"awaits", "kind": "promise" | "timer" | "semaphore" | "tasks" | "delegate" |
//     "source" | "nothing" | "unknown", "count", "oldest_task_id" or null, "holder" or null,
//     "stack": [async methods, innermost first; none: tasks that no async method awaits],
//     "blocked_threads": that block until it is done, "unchanged": of count, in the previous
//     snapshot too; null if there is none, "example": address}],
//   "tasks", "unfinished", "chains",
//   "before": {"snapshot", "ns"} or null: that it was compared with,
//   "notes": [sentences]
// }
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// `top`: groups shown.
std::string TasksText(const HeapModel& model, const TaskReport& report, size_t top,
                      const TextStyle& style);
std::string TasksJson(const HeapModel& model, const TaskReport& report);

}  // namespace hindsight::analyzer
