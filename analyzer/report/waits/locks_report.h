// The answer of `hindsight locks`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "locks", "recording": see report/json.h,
//   "waits": [{"kind": "monitor" | "lock" | "reader-writer lock" | "semaphore" | "task" | "event" |
//     "pulse" | "wait handle" | "thread" | "unknown", "count", "not_ended", "total_ns" (until the
//     recording's end for those that have not ended), "longest_ns", "site": the method to look at
//     (places.h), "through": what it called of others, or null, "stack": [methods, innermost
//     first], "stacks": how many wait there, "other_stacks": [{"count", "total_ns", "stack"}],
//     those with the most time of the others, "owner": of the longest, see JsonThread,
//     "owner_stack": [...] or empty}], by place, most time first,
//   "locks": [{"lock": the runtime's id, "kind", "count", "total_ns", "longest_ns",
//     "waiters_at_most"}], most time first,
//   "holders": [{"count", "total_ns", "longest_ns", "site", "doing", "stack"}]: where owners stood,
//     sampled,
//   "open": [{"id", "kind", "thread", "owner", "lock", "object", "since_ns", "age_ns", "stack",
//     "owner_stack"}], oldest first
// }
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct LocksTextOptions {
  TextStyle style;
  size_t top = 10;    // places and locks shown; 0: all
  size_t frames = 8;  // of a stack; 0: all
};

std::string LocksText(const LockReport& report, const LocksTextOptions& options);
std::string LocksJson(const LockReport& report);

}  // namespace hindsight::analyzer
