// The output of `hindsight gc`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct GcTextOptions {
  TextStyle style;
  size_t top = 10;  // pauses and reasons shown; 0: all
};

std::string GcText(const GcReport& report, const GcTextOptions& options);
std::string GcJson(const GcReport& report);
SharedShape GcShape();

}  // namespace hindsight::analyzer
