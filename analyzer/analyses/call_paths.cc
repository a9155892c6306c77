#include "analyzer/analyses/call_paths.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analyzer/analyses/path_tree.h"

namespace hindsight::analyzer {
namespace {

constexpr double kNormal95 = 1.96;

}  // namespace

Share ShareOf(const PathWeight& part, const PathWeight& whole) {
  Share share;
  if (!(whole.amount > 0)) return share;
  share.value = part.amount / whole.amount;
  // The share of one of two independent sums: an error in either sum moves it by the other's share
  // of the whole. For samples of equal weight, this is p (1 - p) / n.
  const double rest = std::max(0.0, whole.variance - part.variance);
  const double others = 1 - share.value;
  share.error = kNormal95 *
                std::sqrt(others * others * part.variance + share.value * share.value * rest) /
                whole.amount;
  return share;
}

void SumUp(CallPaths& paths) {
  std::vector<PathNode>& nodes = paths.nodes;
  for (PathNode& node : nodes) node.total = node.self;
  for (size_t i = nodes.size(); i-- > 1;) nodes[nodes[i].parent].total += nodes[i].total;
  std::vector<uint32_t> place(nodes.size());
  uint32_t kept = 1;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].total.samples == 0) continue;
    nodes[i].parent = place[nodes[i].parent];
    place[i] = kept;
    nodes[kept++] = nodes[i];
  }
  nodes.resize(kept);
  for (uint32_t& node : paths.places) node = place[node];
}

PathChildren::PathChildren(const CallPaths& paths) : first_(paths.nodes.size() + 1) {
  const std::vector<PathNode>& nodes = paths.nodes;
  for (size_t i = 1; i < nodes.size(); ++i) ++first_[nodes[i].parent + 1];
  for (size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  children_.resize(nodes.size() - 1);
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  for (uint32_t i = 1; i < nodes.size(); ++i) children_[next[nodes[i].parent]++] = i;
  for (size_t i = 0; i < nodes.size(); ++i) {
    std::stable_sort(
        children_.begin() + first_[i], children_.begin() + first_[i + 1],
        [&nodes](uint32_t a, uint32_t b) { return nodes[a].total.amount > nodes[b].total.amount; });
  }
}

std::pair<FrameId, PathWeight> Heaviest(const WeightByFrame& weights) {
  std::pair<FrameId, PathWeight> most;
  for (const auto& [frame, weight] : weights) {
    const bool is_equal = weight.amount == most.second.amount && frame < most.first;
    if (weight.amount > most.second.amount || is_equal) most = {frame, weight};
  }
  return most;
}

std::vector<MethodWeight> MethodsOf(const CallPaths& paths) {
  std::vector<MethodWeight> methods(paths.frames.size());
  for (FrameId id = 0; id < methods.size(); ++id) methods[id].frame = id;
  std::vector<uint32_t> on_path(paths.frames.size());
  const PathChildren children(paths);
  struct Open {
    uint32_t node;
    size_t next;  // the child to visit next
  };
  std::vector<Open> open = {{0, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    const std::span<const uint32_t> below = children.Of(top.node);
    if (top.next == below.size()) {
      --on_path[paths.nodes[top.node].frame];
      open.pop_back();
      continue;
    }
    const uint32_t child = below[top.next++];
    const PathNode& node = paths.nodes[child];
    methods[node.frame].self += node.self;
    if (on_path[node.frame]++ == 0) methods[node.frame].total += node.total;
    open.push_back({child, 0});
  }
  std::erase_if(methods, [](const MethodWeight& method) { return method.total.samples == 0; });
  std::stable_sort(methods.begin(), methods.end(), [](const auto& a, const auto& b) {
    return std::tie(a.self.amount, a.total.amount) > std::tie(b.self.amount, b.total.amount);
  });
  return methods;
}

CallPaths BelowFrames(const CallPaths& paths, const FrameFilter& filter) {
  CallPaths below;
  below.frames = paths.frames;
  PathTree tree(below.nodes);
  std::vector<bool> passes(paths.frames.size());
  for (FrameId id = 1; id < paths.frames.size(); ++id) passes[id] = filter(paths.frames[id]);
  std::vector<uint32_t> image(paths.nodes.size());
  for (size_t i = 1; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    const uint32_t parent = image[node.parent];
    if (parent == 0 && !passes[node.frame]) continue;
    image[i] = tree.Child(parent, node.frame);
    below.nodes[image[i]].self += node.self;
    below.nodes[image[i]].recursive |= node.recursive;
  }
  SumUp(below);
  return below;
}

CallPaths Callers(const CallPaths& paths, const FrameFilter& filter) {
  CallPaths callers;
  callers.frames = paths.frames;
  PathTree tree(callers.nodes);
  const auto add = [&](uint32_t from, const PathWeight& weight) {
    uint32_t at = 0;
    for (uint32_t i = from; i != 0; i = paths.nodes[i].parent) {
      at = tree.Child(at, paths.nodes[i].frame);
      callers.nodes[at].recursive |= paths.nodes[i].recursive;
    }
    callers.nodes[at].self += weight;
  };
  std::vector<bool> passes(paths.frames.size());
  for (FrameId id = 1; filter && id < paths.frames.size(); ++id) {
    passes[id] = filter(paths.frames[id]);
  }
  std::vector<bool> below(paths.nodes.size());  // whether a frame above, or the node's own, matches
  for (uint32_t i = 1; i < paths.nodes.size(); ++i) {
    const PathNode& node = paths.nodes[i];
    if (!filter) {
      if (node.self.samples > 0) add(i, node.self);
    } else if (below[node.parent] || passes[node.frame]) {
      if (!below[node.parent]) add(i, node.total);
      below[i] = true;
    }
  }
  SumUp(callers);
  return callers;
}

}  // namespace hindsight::analyzer
