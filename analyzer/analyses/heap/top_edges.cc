#include "analyzer/analyses/heap/top_edges.h"

namespace hindsight::analyzer {

TopEdges::TopEdges(const HeapModel& model, const SlotNames& names, const RootPaths& paths)
    : model_(&model), names_(&names), paths_(&paths) {
  const HeapGraph& graph = model.graph;
  ObjectId last = kNoObject;
  for (const HeapStaticField& field : graph.statics()) {
    if (field.holder == last || field.holder >= graph.size()) continue;
    last = field.holder;
    graph.ForEachReference(field.holder, [&](uint64_t slot, ObjectId target) {
      if (names.Static(field.holder, slot) != nullptr) {
        statics_.try_emplace(target, names.Key(field.holder, slot));
      }
    });
  }
}

std::optional<SlotKey> TopEdges::Static(ObjectId id) const {
  const auto found = statics_.find(id);
  return found == statics_.end() ? std::nullopt : std::optional(found->second);
}

std::string TopEdges::Name(ObjectId id) const {
  if (const std::optional<SlotKey> key = Static(id)) return names_->Name(*key);
  const HeapRoot* const root = Root(id);
  return root == nullptr ? kSeveralRoots : RootName(*model_, *root);
}

}  // namespace hindsight::analyzer
