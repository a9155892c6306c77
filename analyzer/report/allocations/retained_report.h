// The output of `hindsight allocations --retained`, as text and as JSON. Pure functions.
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
SharedShape RetainedAllocationsShape();

}  // namespace hindsight::analyzer
