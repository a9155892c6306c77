// The answer of `hindsight timeline`, for a person and as JSON. Pure functions.
//
// JSON, schema 1 (times in nanoseconds from the recording's start):
// {
//   "schema": 1, "command": "timeline", "recording": see report/json.h,
//   "from_ns", "to_ns", "parts": of equal length,
//   "series": [{"signal": "cpu" | "allocations" | "pauses" | "heap" | "compiler" | "exceptions" |
//     "requests" | "request_time" | "pool_queue" | "pool_workers" | "threads", "unit", "peak",
//     "peak_at_ns", "mean", "values"}],
//   "moments": [{"at_ns", "what": a clause, "see": a command line}], by time
// }
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/analyses/timeline.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

// Parts of the time that fit a line; ask BuildTimeline for as many.
uint32_t TimelineParts(const TextStyle& style);

std::string TimelineText(const Timeline& timeline, const TextStyle& style);
std::string TimelineJson(const Timeline& timeline);

}  // namespace hindsight::analyzer
