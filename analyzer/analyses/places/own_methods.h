// Sampled time, or bytes, by methods of yours: what each does itself, with all that it calls of
// others' code - the framework, packages, native code with and without a name - and with all of
// yours below.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/places/places.h"

namespace hindsight::analyzer {

// Of each node the nearest node of yours: itself or a caller; 0 if there is none. What a server's
// pipeline calls is not its caller's (see places.h), nor is what the JIT compiler does.
std::vector<uint32_t> OwnersOf(const CallPaths& paths, Places& places);

struct OwnMethod {
  FrameId frame = 0;   // the first of that name: lines are not distinguished
  PathWeight self;     // up to the next method of yours
  PathWeight total;    // of the paths that it is on
  uint32_t depth = 0;  // of yours on a path to it, at most
  PathWeight begins;   // of `total`: nothing of yours is further out
  bool passes_on =
      false;  // nearly all of it goes into one other method of yours, or down a pipeline
};

struct OwnCode {
  PathWeight inside;               // in all of yours
  std::vector<OwnMethod> methods;  // by total
  std::vector<uint32_t> owners;    // OwnersOf the paths that it was made from
};

struct OwnCodeRules {
  // A method passes on if less than this part of its total is its own, and so much of it goes into
  // one callee or down a pipeline.
  double own_part = 0.1;
  double passed_part = 0.9;
};

OwnCode OwnCodeOf(const CallPaths& paths, Places& places, const OwnCodeRules& rules = {});

// What a method of yours calls of others' code, directly or further down.
struct OthersMethod {
  FrameId frame = 0;  // 0: there is none
  PathWeight total;
};
// The deepest one with at least `amount`. `paths` are those that `code` was made from.
OthersMethod DeepestCallee(const CallPaths& paths, const OwnCode& code, FrameId own, double amount);

}  // namespace hindsight::analyzer
