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

// Objects of `type` whose dominator is `owner`, and those that these dominate through objects of
// the same type alone (a chain, a tree).
struct Accumulation {
  // kSuperRoot: no single object holds them all, or several static fields share them.
  ObjectId owner = kSuperRoot;
  // If owner is kSuperRoot: the root that holds each of them directly; nullptr: several owners
  // share each.
  const HeapRoot* root = nullptr;
  ClassIndex type = 0;
  uint64_t count = 0;
  uint64_t direct = 0;           // part of count: without those below another one of the type
  uint64_t bytes = 0;            // shallow
  uint64_t retained = 0;         // by all of them together
  std::vector<ObjectId> sample;  // at most kSample of them, evenly spaced; includes the first
  uint64_t stride = 1;           // one in this many is in the sample

  static constexpr size_t kSample = 128;
};

// An array of plain bytes, numbers or structs without references to objects.
inline bool IsPlainArray(const HeapClass& type) {
  return type.slot_offsets.empty() && type.component_bytes != 0;
}

struct AccumulationLimits {
  uint64_t min_count = 100;
  uint64_t min_retained = 32 << 10;
  // If there are this many, what they dominate is part of the accumulation and is not inspected
  // separately.
  uint64_t enough = 1000;
  // Arrays and strings without references are reported if they have this many bytes in total,
  // however few they are.
  uint64_t min_plain_bytes = 1 << 20;
};

// Linear in the objects; not recursive. In no particular order.
std::vector<Accumulation> FindAccumulations(const HeapGraph& graph, const Dominators& dominators,
                                            const DominatorTree& tree, const RootPaths& paths,
                                            const AccumulationLimits& limits);

}  // namespace hindsight::analyzer
