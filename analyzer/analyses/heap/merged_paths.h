// Shortest paths from the roots to many objects, merged into a tree.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/analyses/heap/heap_tree.h"
#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/references/root_paths.h"

namespace hindsight::analyzer {

struct MergedPaths {
  // Objects and bytes are those of the targets, shallow. The runtime's arrays of static fields are
  // left out: a path begins with the static field.
  HeapTree tree;
  uint64_t unreachable_objects = 0, unreachable_bytes = 0;
};

MergedPaths MergePaths(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                       const HeapTargets& targets, const HeapTreeLimits& limits = {});

}  // namespace hindsight::analyzer
