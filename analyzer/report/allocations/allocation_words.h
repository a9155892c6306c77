// What the reports on allocations have in common.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {

// {"bytes", "bytes_error", "objects", "samples"}.
Json JsonWeight(const PathWeight& weight);

std::string_view SamplingName(AllocationProfile::Sampling sampling);  // bytes, tick, unknown

// As FormatBytes and FormatCount, of an estimate.
std::string EstimatedBytes(double bytes);
std::string EstimatedCount(double count);

// The section with the tree of paths, which has nodes.
void AppendAllocationTree(std::string& out, const CallPaths& paths, const PathWeight& whole,
                          const AllocationQuery& query, const AllocationTextOptions& options);

}  // namespace hindsight::analyzer
