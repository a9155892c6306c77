// The objects with the largest retained size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

struct LargestObject {
  ObjectId id = kNoObject;
  uint64_t retained = 0;
  std::vector<std::string> path;  // as in PathParts
};

struct LargestObjects {
  uint64_t bytes = 0;    // of all reachable objects: the whole to which shares refer
  uint64_t skipped = 0;  // objects as large as those listed, but represented by one that holds them
  std::vector<LargestObject> objects;  // largest first
};

// The `top` largest, without the runtime's arrays of static fields. Unless `all` is set, an object
// is left out if its dominator holds little else (less than a tenth of its own retained size): a
// list and its array are one thing.
LargestObjects FindLargest(const HeapModel& model, const Dominators& dominators,
                           const SlotNames& names, const RootPaths& paths, size_t top,
                           bool all = false);

}  // namespace hindsight::analyzer
