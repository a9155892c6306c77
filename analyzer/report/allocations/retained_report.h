// The answer of `hindsight allocations --retained`, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "allocations", "retained": true, "heap": see JsonHeap,
//   "recorded": whether the snapshot says where its objects were allocated,
//   "sampling", "mean_bytes": see allocations_report.h,
//   "stride": one sample in so many was followed,
//   "followed_ns": before the snapshot, since when they were: older objects are not here,
//   "bytes", "bytes_error", "objects", "samples": reachable, as everything below,
//   "median_age_ns": of the samples, at the snapshot,
//   "unreachable": {"bytes", "bytes_error", "objects", "samples"}: alive, but no root reaches it,
//   "misplaced_samples": left out, because no object begins where theirs should,
//   "types": [{"type", "bytes", "bytes_error", "objects", "samples", "share", "youngest_ns",
//     "median_age_ns", "oldest_ns", "site": the method that allocated most of it, "site_bytes"}],
//     by bytes,
//   "methods": see JsonMethods, by self,
//   "bottom_up", "paths": see JsonPaths
// }
#pragma once

#include <string>

#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/report/allocations/allocations_report.h"

namespace hindsight::analyzer {

std::string RetainedAllocationsText(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query,
                                    const AllocationTextOptions& options);
std::string RetainedAllocationsJson(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query);

}  // namespace hindsight::analyzer
