// Shortest paths from the roots to every object: why an object is alive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// The tree of a breadth-first search. Static fields count as roots and take precedence among paths
// of equal length; then handles, then stacks. What only the finalizer queue holds has a path from
// there. Weak handles hold nothing. A dependent handle is a reference from its key to its value.
//
// Memory: 8 bytes per object, 9 while it is built. Immutable once built, so any thread may read it.
class RootPaths {
 public:
  // `graph` must outlive this. `closed`, if not null, is indexed by object: paths may end at these
  // objects, but not pass through them. `late` is indexed by class: paths pass through such objects
  // only to what has no other path, however short. `late_roots` is indexed by root, likewise.
  explicit RootPaths(const HeapGraph& graph, const std::vector<bool>* closed = nullptr,
                     const std::vector<bool>* late = nullptr,
                     const std::vector<bool>* late_roots = nullptr);

  bool IsReachable(ObjectId id) const { return parent_[id] != kNoObject; }
  // The object before `id` on its path; `id` itself if it is a root, kNoObject if it is
  // unreachable.
  ObjectId Parent(ObjectId id) const { return parent_[id]; }
  bool IsRoot(ObjectId id) const { return parent_[id] == id; }
  // Reachable objects, each after its parent.
  std::span<const ObjectId> order() const { return order_; }

  // The root that holds `id` directly, the most informative one if there are several. nullptr:
  // there is none.
  const HeapRoot* Root(ObjectId id) const;
  // From the root to `id`, inclusive; empty if it is unreachable.
  std::vector<ObjectId> PathTo(ObjectId id) const;

  // The reference of `holder` that leads to `target`: the first one.
  struct Step {
    bool is_dependent = false;
    size_t reference = 0;  // index into References(holder)
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
  std::vector<HeapDependent> dependents_;  // ordered by key
  std::vector<uint32_t>
      roots_;  // indexes into the graph's roots, ordered by object, the best first
};

// The paths of a heap, using knowledge of the runtime's own types: the values of a ThreadLocal are
// held by it, although the threads have tables of them as well; and running frames of the framework
// hold an object only because its owner has passed it to them, or for the moment in which a
// collection moves to a larger array.
RootPaths FindRootPaths(const HeapModel& model, const std::vector<bool>* closed = nullptr);

// Where a path begins that leads through a service container (see SlotNames).
inline constexpr std::string_view kServiceContainer = "service container";

// static Shop.Cache._items; stack Shop.Program.Main; pinned handle; finalizer queue
std::string RootName(const HeapModel& model, const HeapRoot& root);

// `type` joined with the name of a slot as returned by Slot and Name: Cart + ._items ->
// Cart._items, Entry[] + [3].value -> Entry[3].value.
std::string JoinSlot(std::string_view type, std::string_view slot);

// The path to `id` in parts to be joined with arrows: the root, or the last static field or service
// container on the path; each holder with the field that
// leads to the next; the type of `id`. Elements without their numbers, types without namespaces.
//   static Shop.Cache._items | Dictionary<string, Item>._entries | Dictionary...Entry[].value |
//   Item
// Stretches through objects of one class are one part ("Node._next (5,000 times)"), and if there
// are more than `max_parts`, those in the middle are left out ("(12 more)"). If unreachable:
// "(unreachable)" and the type.
std::vector<std::string> PathParts(const HeapModel& model, const SlotNames& names,
                                   const RootPaths& paths, ObjectId id, size_t max_parts = 12);

}  // namespace hindsight::analyzer
