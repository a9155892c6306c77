// Reachability, immediate dominators and retained sizes of a heap.
//
// An object dominates another one if every path from a root to the latter leads through it: without
// it, the other would be garbage. Its retained size is the size of everything that it dominates,
// including itself.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

class Progress;

// Stands for all roots together; holds what no single object holds.
inline constexpr ObjectId kSuperRoot = kNoObject - 1;

struct Dominators {
  // By object: its immediate dominator, kSuperRoot, or kNoObject if unreachable.
  std::vector<ObjectId> immediate;
  std::vector<uint64_t> retained;  // bytes; 0 if unreachable
  uint64_t reachable_objects = 0, reachable_bytes = 0;
  uint64_t unreachable_objects = 0, unreachable_bytes = 0;

  bool IsReachable(ObjectId id) const { return immediate[id] != kNoObject; }
};

// All roots except weak handles; the value of a dependent handle lives as long as its key, as if
// the key referred to it. Linear in the graph, except for a factor that is constant in practice;
// not recursive. `progress` may be null.
Dominators ComputeDominators(const HeapGraph& graph, Progress* progress = nullptr);

}  // namespace hindsight::analyzer
