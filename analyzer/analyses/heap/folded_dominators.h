// The dominator tree folded by type, from the roots down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/heap_tree.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

// A node represents the objects of a type that are dominated by objects of the type above it; its
// bytes are their retained sizes, where an object inside another one of its type is included in
// that one. Edges name statics and roots; what several roots hold has the edge "(several roots)".
// Further down, an edge without a name means that the type above alone holds what is below.
struct FoldedDominators {
  static constexpr uint32_t kNowhere = UINT32_MAX;

  HeapTree tree;  // objects: reachable
  // Parallel to tree.nodes. Objects that repeatedly contain objects of their own type are in one
  // node, and what is in between is in another node below, which retains them as well. So the
  // retained sizes of siblings may overlap; shallow sizes never do.
  std::vector<uint64_t> shallow;   // bytes of the node's objects themselves
  std::vector<ObjectId> examples;  // the object in the node with the lowest address
  std::vector<uint32_t> places;    // parallel to `sought`: index into tree.nodes, or kNowhere
};

// Linear in the objects and, for each of `sought`, in its dominators.
FoldedDominators FoldDominators(const HeapModel& model, const SlotNames& names,
                                const RootPaths& paths, const Dominators& dominators,
                                const DominatorTree& tree, const HeapTreeLimits& limits = {},
                                std::span<const ObjectId> sought = {});

}  // namespace hindsight::analyzer
