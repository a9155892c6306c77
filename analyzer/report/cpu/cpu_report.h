// The output of `hindsight cpu`, as text and as JSON. Pure functions.
//
// Errors in the JSON are sampling errors: the true value is within share +- error 19 times in 20.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct CpuTextOptions {
  size_t top = 10;          // methods and threads; 0: all
  double min_share = 0.01;  // for the tree
  bool by_thread = false;   // every thread with its hottest methods, instead of the tree
  TextStyle style;
};

std::string CpuText(const CpuProfileReport& report, const CpuQuery& query,
                    const CpuTextOptions& options);
std::string CpuJson(const CpuProfileReport& report, const CpuQuery& query);
SharedShape CpuShape();

}  // namespace hindsight::analyzer
