// The output of `hindsight wall`, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct WallTextOptions {
  TextStyle style;
  size_t top = 10;    // places and threads shown; 0: all
  size_t frames = 8;  // of a stack; 0: all
  bool stacks = false;
};

// The number of columns available for lanes of threads.
uint32_t WallLaneParts(const TextStyle& style);

// For a report with lanes.
std::string WallLanesText(const WallReport& report, const WallTextOptions& options);
// Includes the lanes, if there are any.
std::string WallText(const WallReport& report, const WallTextOptions& options);
std::string WallJson(const WallReport& report);
SharedShape WallShape();

}  // namespace hindsight::analyzer
