// What the top of the dominator tree is held by: a static field, a root, or several roots.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "analyzer/analyses/references/root_paths.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/model/heap_graph.h"

namespace hindsight::analyzer {

// Immutable once built: any thread may read.
class TopEdges {
 public:
  static constexpr char kSeveralRoots[] = "(several roots)";

  // All outlive this.
  TopEdges(const HeapModel& model, const SlotNames& names, const RootPaths& paths);

  // The first static field that refers to it; nothing: none does.
  std::optional<SlotKey> Static(ObjectId id) const;
  // The root that holds it directly; nullptr: none does, so several hold it through others.
  const HeapRoot* Root(ObjectId id) const { return paths_->Root(id); }
  // Either in words: static Shop.Cache._items; strong handle; (several roots)
  std::string Name(ObjectId id) const;

 private:
  const HeapModel* model_;
  const SlotNames* names_;
  const RootPaths* paths_;
  std::unordered_map<ObjectId, SlotKey> statics_;  // by object
};

}  // namespace hindsight::analyzer
