// The answer of `hindsight pool`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "pool", "recording": see report/json.h,
//   "verdict": "starved" | "strained" | "healthy" | "unknown",
//   "evidence": [sentences],
//   "blocking": [{"count": workers, "kind": what they wait for, "site", "frames": [methods,
//     innermost first]}], most first,
//   "busy", "blocked": workers with work, and of these those that block, as they were seen,
//   "stalled_ns", "longest_stall_ns": work waited and none was completed,
//   "longest_queue", "workers": {"fewest", "most"}, "completed": during the recording,
//   "starvations", "cooperative_blockings": decisions of the pool to add workers
// }
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct PoolTextOptions {
  TextStyle style;
  size_t top = 10;     // places shown; 0: all
  size_t frames = 12;  // of a stack; 0: all
};

std::string PoolText(const PoolReport& report, const PoolTextOptions& options);
std::string PoolJson(const PoolReport& report);

}  // namespace hindsight::analyzer
