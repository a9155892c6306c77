// The edges of the tree of RootPaths, in one pass.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"

namespace hindsight::analyzer {

enum class EdgeOrder {
  kParentsFirst,  // an edge to an object before those from it
  kByAddress,     // ordered by parent; faster
};

// Calls on_edge(parent, key, child) once for every object whose `wanted` bit is set, except roots.
// Linear in the objects and their references.
template <EdgeOrder kOrder, typename OnEdge>
void ForEachPathEdge(const HeapGraph& graph, const SlotNames& names, const RootPaths& paths,
                     const std::vector<bool>& wanted, const OnEdge& on_edge) {
  // Only visits objects with wanted children, and stops when all were found.
  std::vector<bool> has_children(graph.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!wanted[id] || !paths.IsReachable(id) || paths.IsRoot(id)) continue;
    has_children[paths.Parent(id)] = true;
  }
  const std::vector<bool> is_holder = StaticHolders(graph);

  std::vector<bool> is_done(graph.size());
  const auto is_new = [&](ObjectId parent, ObjectId child) {
    if (!wanted[child] || is_done[child] || paths.Parent(child) != parent || child == parent) {
      return false;
    }
    is_done[child] = true;
    return true;
  };
  std::vector<ObjectId> dependents;
  const std::span<const ObjectId> order = paths.order();
  const size_t parents = kOrder == EdgeOrder::kParentsFirst ? order.size() : graph.size();
  for (size_t i = 0; i < parents; ++i) {
    const ObjectId parent =
        kOrder == EdgeOrder::kParentsFirst ? order[i] : static_cast<ObjectId>(i);
    if (!has_children[parent]) continue;
    const HeapClass& type = graph.classes()[graph.ClassOf(parent)];
    if (type.slot_offsets.size() == 1 && !is_holder[parent]) {
      const SlotKey key = names.Key(parent, 0);
      for (const ObjectId child : graph.References(parent)) {
        if (is_new(parent, child)) on_edge(parent, key, child);
      }
    } else {
      graph.ForEachReference(parent, [&](uint64_t slot, ObjectId child) {
        if (is_new(parent, child)) on_edge(parent, names.Key(parent, slot), child);
      });
    }
    dependents.clear();
    paths.DependentsOf(parent, dependents);
    for (const ObjectId child : dependents) {
      if (is_new(parent, child)) on_edge(parent, SlotKey{SlotKey::Kind::kDependent, 0, 0}, child);
    }
  }
}

}  // namespace hindsight::analyzer
