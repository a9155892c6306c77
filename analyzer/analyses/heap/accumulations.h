// Accumulations: points of the dominator tree that fan out to many objects of one class, or to a
// chain or tree of them.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Objects of `type` that have `owner` as their dominator, and those that these dominate through
// their like alone (a chain, a tree).
struct Accumulation {
  // kSuperRoot: no single object holds them all, or several static fields share them.
  ObjectId owner = kSuperRoot;
  // Where owner is kSuperRoot: the root that holds each of them directly; nullptr: several owners
  // share each.
  const HeapRoot* root = nullptr;
  ClassIndex type = 0;
  uint64_t count = 0;
  uint64_t direct = 0;           // of count: without those below their like
  uint64_t bytes = 0;            // shallow
  uint64_t retained = 0;         // by all of them together
  std::vector<ObjectId> sample;  // at most kSample of them, evenly from all; the first is there
  uint64_t stride = 1;           // one of so many is in the sample

  static constexpr size_t kSample = 128;
};

// An array of plain bytes, numbers or structs: nothing in it refers to an object.
inline bool IsPlainArray(const HeapClass& type) {
  return type.slot_offsets.empty() && type.component_bytes != 0;
}

struct AccumulationLimits {
  uint64_t min_count = 100;
  uint64_t min_retained = 32 << 10;
  // With so many, what they dominate is part of the heap of them and not looked into.
  uint64_t enough = 1000;
  // Arrays and strings without references are reported from so many bytes of them on, however few.
  uint64_t min_plain_bytes = 1 << 20;
};

// Linear in the objects; iterative. In no order.
std::vector<Accumulation> FindAccumulations(const HeapGraph& graph, const Dominators& dominators,
                                            const DominatorTree& tree, const RootPaths& paths,
                                            const AccumulationLimits& limits);

}  // namespace hindsight::analyzer
