// Objects of a heap in depth-first order from all roots.
#pragma once

#include <cstdint>

#include "analyzer/base/column.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct DepthFirst {
  uint32_t count = 0;  // reached objects
  Column<uint32_t>
      number;  // by object: its number, from 1 in the order of the search; 0: not reached
  Column<ObjectId> order;  // by number: the object; [0] stands for all roots together
  Column<uint32_t>
      parent;  // by number: the number of the object from which it was reached; 0: a root
};

// Whether a root keeps what it refers to alive.
inline bool HoldsObject(const HeapRoot& root) {
  return root.kind != RootKind::kWeakHandle && root.object != kNoObject;
}

// The value of a dependent handle is reached from its key. Not recursive.
DepthFirst SearchDepthFirst(const HeapGraph& graph);

}  // namespace hindsight::analyzer
