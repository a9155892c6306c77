#include "analyzer/analyses/heap/heap_summary.h"

#include <string_view>
#include <unordered_set>
#include <utility>

#include "analyzer/analyses/heap/heap_edges.h"
#include "analyzer/analyses/heap/heap_tree.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

// FNV-1a: the same for equal names in every run.
uint64_t Hash(std::string_view text, uint64_t seed) {
  uint64_t hash = seed ^ 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ 0xff) * 0x100000001b3u;
}

class HeapFolder {
 public:
  HeapFolder(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
             const Dominators& dominators, std::span<const ObjectId> wanted)
      : model_(model),
        graph_(model.graph),
        paths_(paths),
        dominators_(dominators),
        edges_(model, names),
        is_holder_(StaticHolders(model.graph)),
        wanted_(wanted.begin(), wanted.end()) {
    for (const HeapStaticField& field : graph_.statics()) {
      if (field.holder >= graph_.size() || field.holder == last_holder_) continue;
      last_holder_ = field.holder;
      graph_.ForEachReference(field.holder, [&](uint64_t slot, ObjectId target) {
        if (names.Static(field.holder, slot) == nullptr) return;
        statics_.try_emplace(target, names.Key(field.holder, slot));
      });
    }
  }

  HeapPaths Fold(const DominatorTree& tree) {
    using Node = HeapTreeBuilder::Node;
    std::vector<Node> above;
    tree.Walk(
        kSuperRoot,
        [&](ObjectId id) {
          const Node parent = above.empty() ? HeapTreeBuilder::kTop : above.back();
          if (is_holder_[id]) {
            above.push_back(parent);
            return;
          }
          const uint64_t edge = parent == HeapTreeBuilder::kTop ? TopEdge(id) : edges_.None();
          const TypeId type = graph_.classes()[graph_.ClassOf(id)].type;
          const HeapTreeBuilder::Step step = builder_.Child(parent, edge, type);
          Count(step, parent, edge, type, id);
          above.push_back(step.node);
        },
        [&](ObjectId) { above.pop_back(); });
    return std::move(folded_);
  }

 private:
  // The builder's nodes begin at 1, after its top.
  static uint32_t Place(HeapTreeBuilder::Node node) {
    return node == HeapTreeBuilder::kTop ? HeapPaths::kTop : node - 1;
  }

  void Count(const HeapTreeBuilder::Step& step, HeapTreeBuilder::Node parent, uint64_t edge,
             TypeId type, ObjectId id) {
    const uint32_t place = Place(step.node);
    if (place == HeapPaths::kTop) return;  // no room for more paths
    if (place >= folded_.nodes.size()) folded_.nodes.resize(place + 1);
    if (wanted_.contains(id)) folded_.node_of.emplace(id, place);
    HeapPaths::Node& node = folded_.nodes[place];
    if (node.objects++ == 0) {
      node.parent = Place(parent);
      node.type = type;
      node.example = id;
      const uint64_t seed = node.parent == HeapPaths::kTop ? 0 : folded_.nodes[node.parent].hash;
      node.hash = Hash(edges_.Name(edge), seed) ^ TypeHash(type) * 31;
    }
    if (!step.is_repeat) node.retained += dominators_.retained[id];
  }

  uint64_t TopEdge(ObjectId id) {
    if (const auto found = statics_.find(id); found != statics_.end()) {
      return edges_.Of(found->second);
    }
    const HeapRoot* root = paths_.Root(id);
    return root == nullptr ? edges_.None() : edges_.Of(root);
  }

  uint64_t TypeHash(TypeId type) {
    const auto [place, is_new] = type_hashes_.try_emplace(type, 0);
    if (is_new) place->second = Hash(TypeDisplayName(model_.dictionaries, type), 1);
    return place->second;
  }

  const HeapModel& model_;
  const HeapGraph& graph_;
  const RootPaths& paths_;
  const Dominators& dominators_;
  HeapEdges edges_;
  HeapTreeBuilder builder_;
  std::vector<bool> is_holder_;
  std::unordered_set<ObjectId> wanted_;
  ObjectId last_holder_ = kNoObject;
  std::unordered_map<ObjectId, SlotKey> statics_;
  std::unordered_map<TypeId, uint64_t> type_hashes_;
  HeapPaths folded_;
};

}  // namespace

HeapSummary SummarizeHeap(const HeapModel& model, const SlotNames& names, const RootPaths& paths,
                          const Dominators& dominators, const DominatorTree& tree,
                          HeapPaths* folded, std::span<const ObjectId> wanted) {
  HeapSummary summary;
  summary.application = model.application;
  summary.pid = model.pid;
  summary.number = model.graph.facts.number;
  summary.unix_ns = model.graph.facts.unix_ns;
  summary.complete = model.graph.facts.complete();
  summary.objects = dominators.reachable_objects;
  summary.bytes = dominators.reachable_bytes;
  for (const TypeRow& row : MakeTypeHistogram(model, dominators, tree).rows) {
    if (row.objects == 0) continue;
    HeapNumbers& numbers = summary.types[TypeDisplayName(model.dictionaries, row.type)];
    numbers.objects += row.objects;
    numbers.bytes += row.bytes;
    numbers.retained += row.retained;
  }
  HeapPaths all = HeapFolder(model, names, paths, dominators, wanted).Fold(tree);
  for (const HeapPaths::Node& node : all.nodes) {
    HeapNumbers& numbers = summary.paths[node.hash];
    numbers.objects += node.objects;
    numbers.retained += node.retained;
  }
  if (folded != nullptr) *folded = std::move(all);
  return summary;
}

}  // namespace hindsight::analyzer
