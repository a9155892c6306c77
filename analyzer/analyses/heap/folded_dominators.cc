#include "analyzer/analyses/heap/folded_dominators.h"

#include <unordered_map>
#include <vector>

#include "analyzer/analyses/heap/heap_edges.h"
#include "analyzer/analyses/heap/histogram.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kSeveralRoots = UINT64_MAX;

// By object in statics' holders: the first static field that refers to it.
std::unordered_map<ObjectId, SlotKey> StaticsByTarget(const HeapGraph& graph,
                                                      const SlotNames& names) {
  std::unordered_map<ObjectId, SlotKey> out;
  ObjectId last = kNoObject;
  for (const HeapStaticField& field : graph.statics()) {
    if (field.holder == last || field.holder >= graph.size()) continue;
    last = field.holder;
    graph.ForEachReference(field.holder, [&](uint64_t slot, ObjectId target) {
      if (names.Static(field.holder, slot) != nullptr) {
        out.try_emplace(target, names.Key(field.holder, slot));
      }
    });
  }
  return out;
}

}  // namespace

FoldedDominators FoldDominators(const HeapModel& model, const SlotNames& names,
                                const RootPaths& paths, const Dominators& dominators,
                                const DominatorTree& tree, const HeapTreeLimits& limits) {
  const HeapGraph& graph = model.graph;
  HeapTreeBuilder builder;
  HeapEdges edges(model, names);
  const std::vector<bool> is_holder = StaticHolders(graph);
  const std::unordered_map<ObjectId, SlotKey> statics = StaticsByTarget(graph, names);
  const auto top_edge = [&](ObjectId id) {
    if (const auto found = statics.find(id); found != statics.end()) return edges.Of(found->second);
    const HeapRoot* root = paths.Root(id);
    return root == nullptr ? kSeveralRoots : edges.Of(root);
  };

  using Node = HeapTreeBuilder::Node;
  std::vector<Node> above;  // of the objects between the walk's top and where it is
  tree.Walk(
      kSuperRoot,
      [&](ObjectId id) {
        const Node parent = above.empty() ? HeapTreeBuilder::kTop : above.back();
        if (is_holder[id]) {  // counts for itself alone; what it holds takes its place
          above.push_back(parent);
          return;
        }
        const uint64_t edge = parent == HeapTreeBuilder::kTop ? top_edge(id) : edges.None();
        const HeapTreeBuilder::Step step =
            builder.Child(parent, edge, graph.classes()[graph.ClassOf(id)].type);
        builder.Add(step.node, 1, step.is_repeat ? 0 : dominators.retained[id]);
        above.push_back(step.node);
      },
      [&](ObjectId) { above.pop_back(); });

  FoldedDominators folded;
  folded.tree = builder.LayOut(
      dominators.reachable_objects, dominators.reachable_bytes, limits, [&](uint64_t edge) {
        return edge == kSeveralRoots ? std::string("(several roots)") : edges.Name(edge);
      });
  return folded;
}

}  // namespace hindsight::analyzer
