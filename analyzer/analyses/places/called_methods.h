// What a method of yours calls of yours: directly, and at any depth.
#pragma once

#include <vector>

#include "analyzer/analyses/places/own_methods.h"

namespace hindsight::analyzer {

// Each sample counts once for a method, as in OwnMethod::total.
struct CalledMethod {
  FrameId frame = 0;
  PathWeight direct;  // of `total`: nothing of yours is between
  PathWeight total;
};

// `paths` are those that `code` was made from. Of a method that calls itself, what it calls is what
// the outermost call calls.
std::vector<CalledMethod> CalledBy(const CallPaths& paths, const OwnCode& code, FrameId own);

}  // namespace hindsight::analyzer
