// The answer of `hindsight cpu`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "cpu", "recording": see report/json.h,
//   "sampled": whether the source was on, "period_ns": CPU time between two samples of a thread,
//   "from_ns", "to_ns": what of the recording this is about, "cpu_ns", "samples", "cores",
//   "unrooted_samples": whose callers could not be walked to the thread's root,
//   "handler_ns": time that sampling took on the application's threads, of the whole recording,
//   "cores_over_time": [cores in equal parts of from_ns to to_ns],
//   "focus": {"pattern", "methods": that match, "cpu_ns", "share", "error"} or null,
//   "your_ns": in your code, with what it calls of others; "your_methods": see JsonMethods, by
//   total, those that only pass on left out; self is up to the next method of yours, "methods": see
//   JsonMethods, by self; of native code the last managed caller's callee, "threads": [{"thread":
//   see JsonThread, "cpu_ns", "samples", "share", "cores",
//     "hottest": [{"method", "line", "self_ns", "samples"}]}], by CPU time,
//   "bottom_up": whether "paths" begin at the places that ran, or in the focus,
//   "paths": see JsonPaths; amounts are nanoseconds of CPU time
// }
// Errors are those of sampling: the truth is within share +- error 19 times in 20.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct CpuTextOptions {
  size_t top = 10;          // methods and threads; 0: all
  double min_share = 0.01;  // of the tree
  bool by_thread = false;   // every thread with its hottest methods, instead of the tree
  TextStyle style;
};

std::string CpuText(const CpuProfileReport& report, const CpuQuery& query,
                    const CpuTextOptions& options);
std::string CpuJson(const CpuProfileReport& report, const CpuQuery& query);

}  // namespace hindsight::analyzer
