#include "analyzer/analyses/heap/heap_tree.h"

#include <algorithm>
#include <utility>

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kStepsBack = 8;  // over which a path is searched for the edge that it reaches

}  // namespace

size_t HeapTreeBuilder::Hash::operator()(const Key& key) const {
  uint64_t hash = key.edge * 0x9E3779B97F4A7C15u;
  hash ^= (uint64_t{key.parent} << 32 | key.type) * 0xC2B2AE3D27D4EB4Fu;
  return static_cast<size_t>(hash ^ hash >> 29);
}

HeapTreeBuilder::Step HeapTreeBuilder::Child(Node parent, uint64_t edge, TypeId type) {
  const Key key{parent, type, edge};
  if (has_last_ && last_key_ == key) return last_step_;  // common in arrays
  Step step;
  Node above = parent;
  for (uint32_t back = 0; back < kStepsBack && above != kTop; ++back) {
    if (nodes_[above].edge == edge && nodes_[above].type == type) {
      nodes_[above].repeats = true;
      step = {above, true};
      break;
    }
    above = nodes_[above].parent;
  }
  if (!step.is_repeat) {
    const auto found = index_.find(key);
    if (found != index_.end()) {
      step.node = found->second;
    } else if (nodes_[parent].depth >= kMaxDepth || nodes_.size() >= kMaxNodes) {
      nodes_[parent].repeats = true;
      step = {parent, true};
    } else {
      step.node = static_cast<Node>(nodes_.size());
      index_.emplace(key, step.node);
      nodes_.push_back(
          {.parent = parent, .depth = nodes_[parent].depth + 1, .edge = edge, .type = type});
    }
  }
  has_last_ = true;
  last_key_ = key;
  last_step_ = step;
  return step;
}

void HeapTreeBuilder::Add(Node node, uint64_t objects, uint64_t bytes) {
  nodes_[node].own_objects += objects;
  nodes_[node].own_bytes += bytes;
  nodes_[node].objects += objects;
  nodes_[node].bytes += bytes;
}

void HeapTreeBuilder::SumUp() {
  for (size_t i = nodes_.size(); i-- > 1;) {  // parents have smaller indices
    nodes_[nodes_[i].parent].objects += nodes_[i].objects;
    nodes_[nodes_[i].parent].bytes += nodes_[i].bytes;
  }
}

HeapTree HeapTreeBuilder::LayOut(uint64_t objects, uint64_t bytes, const HeapTreeLimits& limits) {
  HeapTree tree;
  tree.objects = objects;
  tree.bytes = bytes;
  shown_.clear();
  std::vector<std::vector<Node>> children(nodes_.size());
  for (Node i = 1; i < nodes_.size(); ++i) children[nodes_[i].parent].push_back(i);
  const double smallest = limits.min_share * static_cast<double>(bytes);

  struct Pending {
    Node node;
    Node shown_parent;  // kTop, or the node before it in print order if it is an only child
    bool is_only;
  };
  std::vector<Pending> pending;
  const auto push_children = [&](Node node, auto& owner) {
    std::vector<Node>& below = children[node];
    std::stable_sort(below.begin(), below.end(), [&](Node a, Node b) {
      return std::pair(nodes_[a].bytes, nodes_[a].objects) >
             std::pair(nodes_[b].bytes, nodes_[b].objects);
    });
    const bool is_too_deep = nodes_[node].depth >= limits.depth;
    size_t kept = 0;
    for (const Node child : below) {
      if (!is_too_deep && static_cast<double>(nodes_[child].bytes) >= smallest) {
        ++kept;
        continue;
      }
      owner.folded_objects += nodes_[child].objects;
      owner.folded_bytes += nodes_[child].bytes;
      ++owner.folded_children;
    }
    // The kept ones come first, because they are sorted by what decides.
    for (size_t i = kept; i-- > 0;) pending.push_back({below[i], node, below.size() == 1});
  };
  push_children(kTop, tree);
  while (!pending.empty()) {
    const Pending next = pending.back();
    pending.pop_back();
    const Entry& entry = nodes_[next.node];
    HeapTreeNode node;
    node.depth = entry.depth - 1;
    node.repeats = entry.repeats;
    node.type = entry.type;
    node.objects = entry.objects;
    node.bytes = entry.bytes;
    node.own_objects = entry.own_objects;
    node.own_bytes = entry.own_bytes;
    node.built_as = next.node;
    const Entry& parent = nodes_[next.shown_parent];
    node.continues = next.shown_parent != kTop && next.is_only && parent.objects == entry.objects &&
                     parent.bytes == entry.bytes;
    push_children(next.node, node);
    shown_.push_back(entry.edge);
    tree.nodes.push_back(std::move(node));
  }
  return tree;
}

}  // namespace hindsight::analyzer
