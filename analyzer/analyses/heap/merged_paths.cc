#include "analyzer/analyses/heap/merged_paths.h"

#include <vector>

#include "analyzer/analyses/heap/heap_edges.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/path_edges.h"

namespace hindsight::analyzer {

MergedPaths MergePaths(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                       const HeapTargets& targets, const HeapTreeLimits& limits) {
  const HeapGraph& graph = model.graph;
  MergedPaths merged;
  uint64_t objects = 0;
  uint64_t bytes = 0;
  std::vector<bool> on_path(graph.size());
  for (ObjectId id = 0; id < graph.size(); ++id) {
    if (!targets.Contains(graph, id)) continue;
    const bool is_reachable = paths.IsReachable(id);
    ++(is_reachable ? objects : merged.unreachable_objects);
    (is_reachable ? bytes : merged.unreachable_bytes) += graph.Bytes(id);
    on_path[id] = is_reachable;
  }
  const std::span<const ObjectId> order = paths.order();
  for (size_t i = order.size(); i-- > 0;) {
    if (on_path[order[i]]) on_path[paths.Parent(order[i])] = true;
  }

  HeapTreeBuilder builder;
  HeapEdges edges(model, names);
  using Node = HeapTreeBuilder::Node;
  std::vector<Node> node_of(graph.size(), HeapTreeBuilder::kTop);
  const std::vector<bool> is_holder = StaticHolders(graph);
  const auto type_of = [&](ObjectId id) { return graph.classes()[graph.ClassOf(id)].type; };
  const auto count = [&](ObjectId id) {
    if (targets.Contains(graph, id)) builder.Add(node_of[id], 1, graph.Bytes(id));
  };
  for (const ObjectId id : order) {
    if (!on_path[id] || !paths.IsRoot(id)) continue;
    // A holder of statics is not a step of its own, unless it was asked for.
    if (!is_holder[id] || targets.Contains(graph, id)) {
      node_of[id] =
          builder.Child(HeapTreeBuilder::kTop, edges.Of(paths.Root(id)), type_of(id)).node;
    }
    count(id);
  }
  ForEachPathEdge<EdgeOrder::kParentsFirst>(
      graph, names, paths, on_path, [&](ObjectId parent, SlotKey key, ObjectId child) {
        Node above = node_of[parent];
        if (above == HeapTreeBuilder::kTop && key.kind != SlotKey::Kind::kStatic) {
          // An element of such a holder that no static field names.
          above = builder.Child(above, edges.Of(paths.Root(parent)), type_of(parent)).node;
        }
        node_of[child] = builder.Child(above, edges.Of(key), type_of(child)).node;
        count(child);
      });
  builder.SumUp();
  merged.tree =
      builder.LayOut(objects, bytes, limits, [&](uint64_t edge) { return edges.Name(edge); });
  return merged;
}

}  // namespace hindsight::analyzer
