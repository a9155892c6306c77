// Which methods of yours a method of yours calls: directly, and at any depth.
#pragma once

#include <vector>

#include "analyzer/analyses/places/own_methods.h"

namespace hindsight::analyzer {

// Each sample counts once per method, as in OwnMethod::total.
struct CalledMethod {
  FrameId frame = 0;
  PathWeight direct;  // of `total`: no method of yours is in between
  PathWeight total;
};

// `paths` are those from which `code` was made. For a method that calls itself, the callees are
// those of the outermost call.
std::vector<CalledMethod> CalledBy(const CallPaths& paths, const OwnCode& code, FrameId own);

}  // namespace hindsight::analyzer
