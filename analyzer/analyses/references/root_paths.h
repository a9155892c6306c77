// Shortest paths from the roots to every object: why an object is alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// The tree of a breadth-first search. Static fields count as roots, and go first where paths are
// equally long; then handles, then stacks. What only the finalizer queue holds has a path from
// there. Weak handles hold nothing. A dependent handle is a reference from its key to its value.
//
// Memory: 8 bytes an object, and 9 while it is built. Immutable once built: any thread may read.
class RootPaths {
 public:
  // `graph` outlives this. `closed`, by object, if it is not null: paths may end at these objects
  // and do not lead through them. `late`, by class: paths lead through such objects only to what
  // has no other path, however short.
  explicit RootPaths(const HeapGraph& graph, const std::vector<bool>* closed = nullptr,
                     const std::vector<bool>* late = nullptr);

  bool IsReachable(ObjectId id) const { return parent_[id] != kNoObject; }
  // The object before `id` on its path; `id` itself if it is a root, kNoObject if not reachable.
  ObjectId Parent(ObjectId id) const { return parent_[id]; }
  bool IsRoot(ObjectId id) const { return parent_[id] == id; }
  // Reachable objects, every one behind its parent.
  std::span<const ObjectId> order() const { return order_; }

  // The root that holds `id` directly, the one that explains most if there are several. nullptr:
  // none does.
  const HeapRoot* Root(ObjectId id) const;
  // From the root to `id`, both included; empty if it is not reachable.
  std::vector<ObjectId> PathTo(ObjectId id) const;

  // Which reference of `holder` leads to `target`: the first.
  struct Step {
    bool is_dependent = false;
    size_t reference = 0;  // index in References(holder)
  };
  std::optional<Step> StepTo(ObjectId holder, ObjectId target) const;

  // Appends the values of dependent handles whose key is `key`.
  void DependentsOf(ObjectId key, std::vector<ObjectId>& values) const;

 private:
  struct Search;
  void Spread(Search& search);
  void SpreadLate(Search& search);
  void FetchChildren(ObjectId id) const;

  const HeapGraph* graph_;
  std::vector<ObjectId> parent_;
  std::vector<ObjectId> order_;
  std::vector<HeapDependent> dependents_;  // by key
  std::vector<uint32_t> roots_;            // of graph's roots, by object, the best first
};

// Those of a heap with what is known of the runtime's own types: the values of a ThreadLocal are
// its own, though the threads have tables of them as well.
RootPaths FindRootPaths(const HeapModel& model, const std::vector<bool>* closed = nullptr);

// static Shop.Cache._items; stack Shop.Program.Main; pinned handle; finalizer queue
std::string RootName(const HeapModel& model, const HeapRoot& root);

// `type` with the name of a slot as Slot and Name give it: Cart + ._items -> Cart._items,
// Entry[] + [3].value -> Entry[3].value.
std::string JoinSlot(std::string_view type, std::string_view slot);

// The path to `id` in parts that are read with arrows between them: the root; each holder with the
// field that leads on; the type of `id`. Elements without their numbers, types without namespaces.
//   static Shop.Cache._items | Dictionary<string, Item>._entries | Dictionary...Entry[].value |
//   Item
// Stretches through objects of one class are one part ("Node._next (5,000 times)"), and of more
// than `max_parts` those in the middle are left out ("(12 more)"). Not reachable: "(unreachable)"
// and the type.
std::vector<std::string> PathParts(const HeapModel& model, const SlotNames& names,
                                   const RootPaths& paths, ObjectId id, size_t max_parts = 12);

}  // namespace hindsight::analyzer
