// The dominator tree folded by type: who holds how much, from the roots down.
#pragma once

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/heap_tree.h"
#include "analyzer/analyses/heap/root_paths.h"

namespace hindsight::analyzer {

// A node stands for the objects of a type that objects of the type above it dominate; its bytes are
// their retained sizes, where an object of the type within another one counts there. Edges name
// statics and roots; what several roots hold has the edge "(several roots)", and below, where
// an edge has no name, the type above alone holds what is below.
struct FoldedDominators {
  HeapTree tree;  // objects: reachable
};

FoldedDominators FoldDominators(const HeapModel& model, const SlotNames& names,
                                const RootPaths& paths, const Dominators& dominators,
                                const DominatorTree& tree, const HeapTreeLimits& limits = {});

}  // namespace hindsight::analyzer
