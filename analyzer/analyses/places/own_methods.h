// Sampled time or bytes per method of yours: its own work, including everything that it calls in
// others' code (the framework, packages, native code with and without a name), and the total with
// all methods of yours below.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

// For each node, the nearest node of yours: itself or a caller; 0 if there is none. What a server's
// pipeline calls does not belong to the caller of the pipeline (see places.h), nor does the work of
// the JIT.
std::vector<uint32_t> OwnersOf(const CallPaths& paths, Places& places);

struct OwnMethod {
  FrameId frame = 0;       // the first with that name: lines are not distinguished
  PathWeight self;         // up to the next method of yours
  PathWeight total;        // of the paths that contain it
  uint32_t depth = 0;      // the most methods of yours on a path to it
  PathWeight begins;       // of `total`: no method of yours is further out
  bool passes_on = false;  // nearly all of it goes to one other method of yours, or down a pipeline
};

struct OwnCode {
  PathWeight inside;               // in all methods of yours
  std::vector<OwnMethod> methods;  // ordered by total
  std::vector<uint32_t> owners;    // OwnersOf the paths from which it was made
};

struct OwnCodeRules {
  // A method passes on if less than this part of its total is its own, and at least that part goes
  // to one callee or down a pipeline.
  double own_part = 0.1;
  double passed_part = 0.9;
};

OwnCode OwnCodeOf(const CallPaths& paths, Places& places, const OwnCodeRules& rules = {});

// Others' code that a method of yours calls, directly or further down.
struct OthersMethod {
  FrameId frame = 0;  // 0: there is none
  PathWeight total;
};
// The deepest one with at least `amount`. `paths` are those from which `code` was made.
OthersMethod DeepestCallee(const CallPaths& paths, const OwnCode& code, FrameId own, double amount);

}  // namespace hindsight::analyzer
