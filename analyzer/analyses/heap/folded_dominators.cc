#include "analyzer/analyses/heap/folded_dominators.h"

#include <algorithm>
#include <vector>

#include "analyzer/analyses/heap/heap_edges.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/top_edges.h"

namespace hindsight::analyzer {
namespace {

constexpr uint64_t kSeveralRoots = UINT64_MAX;

class DominatorFolder {
 public:
  using Node = HeapTreeBuilder::Node;

  DominatorFolder(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                  const Dominators& dominators)
      : graph_(model.graph),
        dominators_(dominators),
        edges_(model, names),
        is_holder_(StaticHolders(model.graph)),
        top_(model, names, paths) {}

  void Fold(const DominatorTree& tree) {
    std::vector<Node>
        above;  // nodes of the objects between the walk's top and its current position
    tree.Walk(
        kSuperRoot,
        [&](ObjectId id) {
          const Node parent = above.empty() ? HeapTreeBuilder::kTop : above.back();
          above.push_back(Enter(parent, id));
        },
        [&](ObjectId) { above.pop_back(); });
  }

  FoldedDominators LayOut(const HeapTreeLimits& limits, std::span<const ObjectId> sought) {
    FoldedDominators folded;
    folded.tree = builder_.LayOut(
        dominators_.reachable_objects, dominators_.reachable_bytes, limits, [&](uint64_t edge) {
          return edge == kSeveralRoots ? TopEdges::kSeveralRoots : edges_.Name(edge);
        });
    std::vector<uint32_t> shown(own_.size(), FoldedDominators::kNowhere);
    for (const HeapTreeNode& node : folded.tree.nodes) {
      shown[node.built_as] = static_cast<uint32_t>(folded.shallow.size());
      folded.shallow.push_back(own_[node.built_as].shallow);
      folded.examples.push_back(own_[node.built_as].example);
    }
    for (const ObjectId id : sought) {
      const Node node = NodeOf(id);
      folded.places.push_back(node < shown.size() ? shown[node] : FoldedDominators::kNowhere);
    }
    return folded;
  }

 private:
  struct Own {
    uint64_t shallow = 0;
    ObjectId example = kNoObject;
  };

  HeapTreeBuilder::Step Child(Node parent, ObjectId id) {
    const uint64_t edge = parent == HeapTreeBuilder::kTop ? TopEdge(id) : edges_.None();
    return builder_.Child(parent, edge, graph_.classes()[graph_.ClassOf(id)].type);
  }

  Node Enter(Node parent, ObjectId id) {
    if (is_holder_[id]) return parent;  // counts only itself; what it holds takes its place
    const HeapTreeBuilder::Step step = Child(parent, id);
    builder_.Add(step.node, 1, step.is_repeat ? 0 : dominators_.retained[id]);
    if (step.node >= own_.size()) own_.resize(step.node + 1);
    own_[step.node].shallow += graph_.Bytes(id);
    own_[step.node].example = std::min(own_[step.node].example, id);
    return step.node;
  }

  uint64_t TopEdge(ObjectId id) {
    if (const std::optional<SlotKey> key = top_.Static(id)) return edges_.Of(*key);
    const HeapRoot* root = top_.Root(id);
    return root == nullptr ? kSeveralRoots : edges_.Of(root);
  }

  // The node in which the walk put it.
  Node NodeOf(ObjectId id) {
    std::vector<ObjectId> way;
    for (; id < dominators_.immediate.size(); id = dominators_.immediate[id]) way.push_back(id);
    Node node = HeapTreeBuilder::kTop;
    for (size_t i = way.size(); i-- > 0;) {
      if (!is_holder_[way[i]]) node = Child(node, way[i]).node;
    }
    return node;
  }

  const HeapGraph& graph_;
  const Dominators& dominators_;
  HeapTreeBuilder builder_;
  HeapEdges edges_;
  std::vector<bool> is_holder_;
  TopEdges top_;
  std::vector<Own> own_{1};  // indexed by the builder's node
};

}  // namespace

FoldedDominators FoldDominators(const HeapModel& model, const SlotNames& names,
                                const RootPaths& paths, const Dominators& dominators,
                                const DominatorTree& tree, const HeapTreeLimits& limits,
                                std::span<const ObjectId> sought) {
  DominatorFolder folder(model, names, paths, dominators);
  folder.Fold(tree);
  return folder.LayOut(limits, sought);
}

}  // namespace hindsight::analyzer
