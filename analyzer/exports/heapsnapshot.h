// A heap as a V8 .heapsnapshot, which Chrome's developer tools open (Memory, "Load profile").
//
// It contains what is reachable, because such files have no garbage. Nodes: a root; below it one
// node for each kind of root ("(static fields)", "(strong handles)", those on stacks by method);
// then the objects by ascending address, with their full type names, strings with their text if
// recorded. Edges have the names of fields, or the numbers of array elements. Dependent handles are
// edges from the key to the value. The tools compute their own retained sizes, which agree with
// ours.
#pragma once

#include <cstdint>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct HeapsnapshotTotals {
  uint64_t objects = 0, bytes = 0;  // as in Dominators: reachable
  uint64_t nodes = 0, edges = 0;    // including those for roots
  uint64_t clipped = 0;             // objects of 4 GiB and more, which the tools do not support
  bool written = false;             // completely
};

// Streams the output: memory is 4 bytes per object in addition to the graph. Linear.
HeapsnapshotTotals WriteHeapsnapshot(const HeapModel& model, const SlotNames& names,
                                     const Dominators& dominators, const ByteSink& sink);

}  // namespace hindsight::analyzer
