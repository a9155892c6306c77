// What the reports on allocations have in common.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/fields/fields.h"
#include "analyzer/report/allocations/allocations_report.h"

namespace hindsight::analyzer {

// "bytes", "objects" and "samples" of a weight.
Object<PathWeight> AllocatedFields();

inline constexpr Named<AllocationProfile::Sampling> kSamplings[] = {
    {AllocationProfile::Sampling::kBytes, "bytes"},
    {AllocationProfile::Sampling::kTick, "tick"},
    {AllocationProfile::Sampling::kUnknown, "unknown"}};
inline constexpr std::string_view kSamplingMeaning =
    "bytes: every byte with equal probability; tick: about one per 100 KiB";

// Like FormatBytes and FormatCount, for estimates.
std::string EstimatedBytes(double bytes);
std::string EstimatedCount(double count);

// The section with the tree of paths; `paths` must have nodes.
void AppendAllocationTree(std::string& out, const CallPaths& paths, const PathWeight& whole,
                          const AllocationQuery& query, const AllocationTextOptions& options);

}  // namespace hindsight::analyzer
