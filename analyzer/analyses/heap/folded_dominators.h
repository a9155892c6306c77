// The dominator tree folded by type, from the roots down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/heap_tree.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

// A node stands for the objects of a type that objects of the type above it dominate; its bytes are
// their retained sizes, where an object of the type within another one counts there. Edges name
// statics and roots; what several roots hold has the edge "(several roots)", and below, where
// an edge has no name, the type above alone holds what is below.
struct FoldedDominators {
  static constexpr uint32_t kNowhere = UINT32_MAX;

  HeapTree tree;  // objects: reachable
  // Beside tree.nodes. Objects that hold their like again and again are in one node, and what is
  // between them in another one below it that retains them as well. So retained sizes of siblings
  // may have bytes in common; shallow ones never have.
  std::vector<uint64_t> shallow;   // bytes of the objects in the node themselves
  std::vector<ObjectId> examples;  // one of them: the one with the lowest address
  std::vector<uint32_t> places;    // beside `sought`: node in tree.nodes, or kNowhere
};

// Linear in the objects; for each of those sought, in those that dominate it.
FoldedDominators FoldDominators(const HeapModel& model, const SlotNames& names,
                                const RootPaths& paths, const Dominators& dominators,
                                const DominatorTree& tree, const HeapTreeLimits& limits = {},
                                std::span<const ObjectId> sought = {});

}  // namespace hindsight::analyzer
