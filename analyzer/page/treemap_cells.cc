#include "analyzer/page/treemap_cells.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "analyzer/analyses/heap/folded_dominators.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

// Everything: the builder has no more nodes than HeapTreeBuilder::kMaxNodes.
constexpr HeapTreeLimits kEverything{0, HeapTreeBuilder::kMaxDepth};

FoldedDominators Fold(const HeapReports& heap, std::span<const ObjectId> sought = {}) {
  return FoldDominators(heap.model, heap.names, heap.paths, heap.dominators, heap.tree, kEverything,
                        sought);
}

// By node: its parent.
std::vector<uint32_t> Parents(const HeapTree& tree) {
  std::vector<uint32_t> parents;
  std::vector<uint32_t> open;  // by depth: the parent of the next nodes
  for (const HeapTreeNode& node : tree.nodes) {
    open.resize(node.depth);
    parents.push_back(open.empty() ? TreemapCell::kTop : open.back());
    open.push_back(static_cast<uint32_t>(parents.size() - 1));
  }
  return parents;
}

// By node: its shallow bytes and those of all below.
std::vector<uint64_t> Areas(const FoldedDominators& folded, const std::vector<uint32_t>& parents) {
  std::vector<uint64_t> areas = folded.shallow;
  for (size_t i = areas.size(); i-- > 0;) {
    if (parents[i] != TreemapCell::kTop) areas[parents[i]] += areas[i];
  }
  return areas;
}

// By node: a hash of the names from the root to it, equal for equal names in every run.
std::vector<uint64_t> Ways(const HeapReports& heap, const HeapTree& tree,
                           const std::vector<uint32_t>& parents) {
  std::unordered_map<TypeId, uint64_t> types;
  const std::hash<std::string_view> hash;
  std::vector<uint64_t> ways;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const HeapTreeNode& node = tree.nodes[i];
    const auto [type, is_new] = types.try_emplace(node.type, 0);
    if (is_new) type->second = hash(TypeDisplayName(heap.model.dictionaries, node.type));
    const uint64_t above = parents[i] == TreemapCell::kTop ? hash(node.edge) : ways[parents[i]];
    ways.push_back((above ^ type->second) * 0x9E3779B97F4A7C15u + (above >> 29));
  }
  return ways;
}

struct Numbers {
  uint64_t objects = 0, retained = 0;
};

// Numbers of the other heap, by that hash.
std::unordered_map<uint64_t, Numbers> NumbersOf(const HeapReports& heap) {
  std::unordered_map<uint64_t, Numbers> numbers;
  const HeapTree tree = Fold(heap).tree;
  const std::vector<uint64_t> ways = Ways(heap, tree, Parents(tree));
  for (size_t i = 0; i < ways.size(); ++i) {
    Numbers& here = numbers[ways[i]];
    here.objects += tree.nodes[i].objects;
    here.retained += tree.nodes[i].bytes;
  }
  return numbers;
}

}  // namespace

Treemap MakeTreemap(const HeapReports& heap, const HeapReports* before,
                    const TreemapLimits& limits) {
  std::vector<ObjectId> examples;
  for (const LeakSuspect& suspect : heap.leaks.suspects) examples.push_back(suspect.example);
  const FoldedDominators folded = Fold(heap, examples);
  const std::vector<HeapTreeNode>& nodes = folded.tree.nodes;
  const std::vector<uint32_t> parents = Parents(folded.tree);
  const std::vector<uint64_t> areas = Areas(folded, parents);

  // No node is larger than its parent, which precedes it: so any prefix is a tree.
  std::vector<uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return areas[a] > areas[b]; });
  order.resize(std::min(order.size(), limits.cells));

  Treemap map;
  map.objects = folded.tree.objects;
  map.bytes = folded.tree.bytes;
  map.left_out = nodes.size() - order.size();
  std::vector<uint32_t> cell_of(nodes.size(), TreemapCell::kTop);
  for (const uint32_t i : order) {
    cell_of[i] = static_cast<uint32_t>(map.cells.size());
    map.cells.push_back(
        {.parent = parents[i] == TreemapCell::kTop ? TreemapCell::kTop : cell_of[parents[i]],
         .edge = nodes[i].edge,
         .type = nodes[i].type,
         .repeats = nodes[i].repeats,
         .objects = nodes[i].objects,
         .retained = nodes[i].bytes,
         .bytes = areas[i],
         .own = folded.shallow[i],
         .example = folded.examples[i]});
  }
  for (uint32_t place : folded.places) {
    while (place != FoldedDominators::kNowhere && cell_of[place] == TreemapCell::kTop) {
      place = parents[place];
    }
    map.suspects.push_back(place == FoldedDominators::kNowhere ? TreemapCell::kTop
                                                               : cell_of[place]);
  }
  if (before == nullptr) return map;
  map.objects_before = before->dominators.reachable_objects;
  map.bytes_before = before->dominators.reachable_bytes;
  const std::unordered_map<uint64_t, Numbers> numbers = NumbersOf(*before);
  const std::vector<uint64_t> ways = Ways(heap, folded.tree, parents);
  for (const uint32_t i : order) {
    const auto found = numbers.find(ways[i]);
    if (found == numbers.end()) continue;
    map.cells[cell_of[i]].objects_before = found->second.objects;
    map.cells[cell_of[i]].retained_before = found->second.retained;
  }
  return map;
}

}  // namespace hindsight::analyzer
