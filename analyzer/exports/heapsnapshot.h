// A heap as a V8 .heapsnapshot, which Chrome's developer tools open (Memory, "Load profile").
//
// It holds what is reachable: such files know no garbage. Nodes: a root; below it one node for each
// kind of root ("(static fields)", "(strong handles)", a stack's by method); then the objects by
// ascending address, with their full type names, strings with their text where it was recorded.
// Edges carry the names of fields, elements of arrays their numbers. Dependent handles are edges
// from the key to the value. The tools compute retained sizes of their own, which agree with ours.
#pragma once

#include <cstdint>

#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/exports/byte_sink.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct HeapsnapshotTotals {
  uint64_t objects = 0, bytes = 0;  // as in Dominators: reachable
  uint64_t nodes = 0, edges = 0;    // with those for roots
  uint64_t clipped = 0;             // objects of 4 GiB and more: the tools know no larger size
  bool written = false;             // all of it
};

// Streams: memory is 4 bytes an object beside the graph. Linear.
HeapsnapshotTotals WriteHeapsnapshot(const HeapModel& model, const SlotNames& names,
                                     const Dominators& dominators, const ByteSink& sink);

}  // namespace hindsight::analyzer
