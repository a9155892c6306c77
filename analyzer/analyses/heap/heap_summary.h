// A heap reduced to what can be compared across runs: names only, no addresses or ids.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/heap/dominator_walk.h"
#include "analyzer/analyses/heap/dominators.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

struct HeapNumbers {
  uint64_t objects = 0;
  uint64_t bytes = 0;  // shallow; not counted for paths
  uint64_t retained = 0;
};

struct HeapSummary {
  std::string application;
  uint32_t pid = 0;
  uint32_t number = 0;  // of the snapshot within its recording
  uint64_t unix_ns = 0;
  bool complete = false;
  uint64_t objects = 0, bytes = 0;                     // reachable
  std::unordered_map<std::string, HeapNumbers> types;  // by full name; reachable objects only
  std::unordered_map<uint64_t, HeapNumbers> paths;     // keyed by HeapPaths::Node::hash
};

// The dominator tree folded by type, from roots and statics down, as in FoldDominators. Parents
// precede their children.
struct HeapPaths {
  static constexpr uint32_t kTop = UINT32_MAX;
  struct Node {
    uint32_t parent = kTop;
    TypeId type = 0;
    uint64_t objects = 0;
    uint64_t retained = 0;
    uint64_t hash = 0;  // of the names from the root to here
    ObjectId example = kNoObject;
  };
  std::vector<Node> nodes;
  // The nodes of the objects that were asked for, if they have one.
  std::unordered_map<ObjectId, uint32_t> node_of;
};

// `folded` is filled if it is not null, including the nodes of `wanted`. It grows with types and
// distinct paths, not with objects.
HeapSummary SummarizeHeap(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                          const Dominators& dominators, const DominatorTree& tree,
                          HeapPaths* folded = nullptr, std::span<const ObjectId> wanted = {});

}  // namespace hindsight::analyzer
