// The answer of `hindsight allocations`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "allocations", "recording": see report/json.h,
//   "sampled": whether the source was on,
//   "sampling": "bytes": each byte with the same probability | "tick" | "unknown",
//   "mean_bytes": between two samples, "from_ns", "to_ns": what of the recording this is about,
//   "bytes", "bytes_error", "objects", "samples", "bytes_per_second",
//   "heaps": {"small" | "large" | "pinned" | "unknown": {"bytes", "bytes_error", "objects",
//     "samples"}}, those that have any,
//   "bytes_over_time": [bytes in equal parts of from_ns to to_ns],
//   "types": [{"type", "bytes", "bytes_error", "objects", "samples", "share", "site": the method
//     that allocated most of it, "site_bytes"}], by bytes,
//   "methods": see JsonMethods, by self,
//   "threads": [{"thread": see JsonThread, "bytes", "objects", "samples", "type"}], by bytes,
//   "bottom_up", "paths": see JsonPaths
// }
// Bytes and objects are estimates. Errors are those of sampling: the truth is within the value +-
// its error 19 times in 20; with "tick" that is only how it would be if samples were independent.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct AllocationTextOptions {
  size_t top = 10;          // types, methods and threads; 0: all
  double min_share = 0.01;  // of the tree
  TextStyle style;
};

std::string AllocationsText(const AllocationReport& report, const AllocationQuery& query,
                            const AllocationTextOptions& options);
std::string AllocationsJson(const AllocationReport& report, const AllocationQuery& query);

}  // namespace hindsight::analyzer
