// The output of `hindsight allocations`, as text and as JSON. Pure functions.
//
// Bytes and objects are estimates. Errors are sampling errors: the true value is within the value
// +- its error 19 times in 20; with "tick", only if samples were independent.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct AllocationTextOptions {
  size_t top = 10;          // types, methods and threads; 0: all
  double min_share = 0.01;  // for the tree
  TextStyle style;
};

std::string AllocationsText(const AllocationReport& report, const AllocationQuery& query,
                            const AllocationTextOptions& options);
std::string AllocationsJson(const AllocationReport& report, const AllocationQuery& query);
SharedShape AllocationsShape();

}  // namespace hindsight::analyzer
