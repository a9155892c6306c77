// Lists of single objects to page through: of a type, or dominated by an object.
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
  std::string held_by;  // the slot of the dominator that refers to it, or as TopEdges; empty: the
                        // dominator holds it through others
  uint64_t dominated = 0;  // objects that it is the immediate dominator of
};

struct ObjectPage {
  uint64_t objects = 0;   // of the whole list
  uint64_t retained = 0;  // bytes, by them together
  std::vector<DominatedObject> rows;
};

// The objects of these classes, the unreachable ones included: ascending.
std::vector<ObjectId> ObjectsOf(const HeapGraph& graph, const std::vector<bool>& classes);

// Orders `ids` so that the range is what it would be if all were sorted: the largest retained size
// first, equal ones by address. The rest is in no order; not all are sorted for one page.
void SortRange(const Dominators& dominators, const PageRange& range, std::vector<ObjectId>& ids);

// What `id` immediately dominates; of kSuperRoot the top of the tree, where what static fields hold
// stands in the place of the runtime's arrays of them. In no order.
std::vector<ObjectId> Dominated(const DominatorTree& tree, const SlotNames& names, ObjectId id);

// `ids`: what Dominated gave.
ObjectPage PageOfDominated(const HeapModel& model, const Dominators& dominators,
                           const DominatorTree& tree, const RootPaths& paths,
                           const SlotNames& names, const TopEdges& top, ObjectId id,
                           std::vector<ObjectId> ids, const PageRange& range);

}  // namespace hindsight::analyzer
