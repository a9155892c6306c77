// The answer of `hindsight threads`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "threads", "recording": see report/json.h,
//   "threads": [{"id", "os_id", "name", "state": "ended" | "alive" | "unknown" |
//     "exception_in_flight", "start_ns": or null (before the recording), "end_ns": or null,
//     "lifetime_ns": as far as recorded, "throws"}], by start,
//   "unknown_throws": on threads that are unknown,
//   "gc": {"gen0", "gen1", "gen2", "induced"}: collections by oldest generation collected,
//   "suspensions": {"count", "total_ns", "longest_ns"}: all managed threads stopped,
//   and where threads stand: see report/waits/thread_stacks_report.h
// }
#pragma once

#include <string>

#include "analyzer/analyses/threads.h"
#include "analyzer/report/text_style.h"
#include "analyzer/report/waits/thread_stacks_report.h"

namespace hindsight::analyzer {

std::string ThreadsText(const ThreadReport& report, const ThreadStacksTextOptions& options,
                        const TextStyle& style);
std::string ThreadsJson(const ThreadReport& report);

}  // namespace hindsight::analyzer
