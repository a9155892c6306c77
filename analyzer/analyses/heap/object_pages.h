// Paged lists of individual objects: of a type, or dominated by an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/top_edges.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

struct PageRange {
  uint64_t from = 0;
  size_t rows = 50;
};

// A row of the dominator tree.
struct DominatedObject {
  ObjectId id = kNoObject;
  std::string held_by;     // the dominator's slot that refers to it, or as in TopEdges; empty: the
                           // dominator holds it through others
  uint64_t dominated = 0;  // objects of which it is the immediate dominator
};

struct ObjectPage {
  uint64_t objects = 0;   // in the whole list
  uint64_t retained = 0;  // bytes, by all of them together
  std::vector<DominatedObject> rows;
};

// The objects of these classes, including unreachable ones, in ascending order.
std::vector<ObjectId> ObjectsOf(const HeapGraph& graph, const std::vector<bool>& classes);

// Orders `ids` so that the range is the same as if all were sorted: largest retained size first,
// equal ones by address, and garbage, which nothing holds, after all others. The rest is in no
// particular order, because sorting everything is not needed for one page.
void SortRange(const Dominators& dominators, const PageRange& range, std::vector<ObjectId>& ids);

// What `id` immediately dominates; for kSuperRoot the top of the tree, with the objects held by
// static fields instead of the runtime's arrays of these. In no particular order.
std::vector<ObjectId> Dominated(const DominatorTree& tree, const SlotNames& names, ObjectId id);

// `ids`: the result of Dominated.
ObjectPage PageOfDominated(const HeapModel& model, const Dominators& dominators,
                           const DominatorTree& tree, const RootPaths& paths,
                           const SlotNames& names, const TopEdges& top, ObjectId id,
                           std::vector<ObjectId> ids, const PageRange& range);

}  // namespace hindsight::analyzer
