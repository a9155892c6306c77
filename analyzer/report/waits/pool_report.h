// The output of `hindsight pool`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct PoolTextOptions {
  TextStyle style;
  size_t top = 10;     // places shown; 0: all
  size_t frames = 12;  // of a stack; 0: all
};

std::string PoolText(const PoolReport& report, const PoolTextOptions& options);
std::string PoolJson(const PoolReport& report);
SharedShape PoolShape();

}  // namespace hindsight::analyzer
