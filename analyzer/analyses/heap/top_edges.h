// What holds the objects at the top of the dominator tree: a static field, a root, or several
// roots.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Immutable once built, so any thread may read it.
class TopEdges {
 public:
  static constexpr char kSeveralRoots[] = "(several roots)";

  // All must outlive this.
  TopEdges(const HeapModel& model, const SlotNames& names, const RootPaths& paths);

  // The first static field that refers to it; nullopt: none.
  std::optional<SlotKey> Static(ObjectId id) const;
  // The root that holds it directly; nullptr: none, so several hold it through others.
  const HeapRoot* Root(ObjectId id) const { return paths_->Root(id); }
  // Either as text: static Shop.Cache._items; strong handle; (several roots)
  std::string Name(ObjectId id) const;

 private:
  const HeapModel* model_;
  const SlotNames* names_;
  const RootPaths* paths_;
  std::unordered_map<ObjectId, SlotKey> statics_;  // by object
};

}  // namespace hindsight::analyzer
