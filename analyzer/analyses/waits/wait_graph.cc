#include "analyzer/analyses/waits/wait_graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hindsight::analyzer {
namespace {

using Needs = WaitNode::Needs;

constexpr uint32_t kNotSeen = UINT32_MAX;

// Strongly connected components of the stuck nodes (Tarjan), without recursion.
class Components {
 public:
  Components(const WaitGraph& graph, const std::vector<bool>& stuck)
      : graph_(graph),
        stuck_(stuck),
        order_(stuck.size(), kNotSeen),
        low_(stuck.size()),
        is_open_(stuck.size()) {}

  std::vector<std::vector<uint32_t>> Find() {
    for (uint32_t node = 0; node < stuck_.size(); ++node) {
      if (stuck_[node] && order_[node] == kNotSeen) Visit(node);
    }
    return std::move(components_);
  }

 private:
  struct Step {
    uint32_t node = 0;
    size_t next = 0;  // index of its next edge
  };

  void Enter(uint32_t node) {
    order_[node] = low_[node] = count_++;
    open_.push_back(node);
    is_open_[node] = true;
    steps_.push_back({node, 0});
  }

  void Visit(uint32_t root) {
    Enter(root);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      const auto edges = graph_.EdgesOf(step.node);
      if (step.next < edges.size()) {
        const uint32_t from = step.node;
        const uint32_t to = edges[step.next++].to;
        if (!stuck_[to]) continue;
        if (order_[to] == kNotSeen) {
          Enter(to);
        } else if (is_open_[to]) {
          low_[from] = std::min(low_[from], order_[to]);
        }
        continue;
      }
      const uint32_t node = step.node;
      steps_.pop_back();
      if (!steps_.empty()) {
        const uint32_t parent = steps_.back().node;
        low_[parent] = std::min(low_[parent], low_[node]);
      }
      if (low_[node] == order_[node]) Close(node);
    }
  }

  void Close(uint32_t root) {
    std::vector<uint32_t> component;
    for (uint32_t node = kNotSeen; node != root;) {
      node = open_.back();
      open_.pop_back();
      is_open_[node] = false;
      component.push_back(node);
    }
    components_.push_back(std::move(component));
  }

  const WaitGraph& graph_;
  const std::vector<bool>& stuck_;
  std::vector<uint32_t> order_, low_;
  std::vector<bool> is_open_;
  std::vector<uint32_t> open_;
  std::vector<Step> steps_;
  uint32_t count_ = 0;
  std::vector<std::vector<uint32_t>> components_;
};

}  // namespace

void WaitGraph::Finish() {
  std::stable_sort(edges_.begin(), edges_.end(),
                   [](const WaitEdge& a, const WaitEdge& b) { return a.from < b.from; });
  begin_.assign(nodes_.size() + 1, 0);
  waiters_begin_.assign(nodes_.size() + 1, 0);
  for (const WaitEdge& edge : edges_) {
    ++begin_[edge.from + 1];
    ++waiters_begin_[edge.to + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::partial_sum(waiters_begin_.begin(), waiters_begin_.end(), waiters_begin_.begin());
  waiters_.resize(edges_.size());
  std::vector<uint32_t> at(waiters_begin_.begin(), waiters_begin_.end() - 1);
  for (uint32_t i = 0; i < edges_.size(); ++i) waiters_[at[edges_[i].to]++] = i;
}

std::vector<WaitEdge> WaitGraph::WaitersOf(uint32_t node) const {
  std::vector<WaitEdge> out;
  for (uint32_t i = waiters_begin_[node]; i < waiters_begin_[node + 1]; ++i) {
    out.push_back(edges_[waiters_[i]]);
  }
  return out;
}

std::vector<bool> WaitGraph::Stuck(bool strictly) const {
  std::vector<bool> stuck(nodes_.size(), true);
  std::vector<uint32_t> missing(nodes_.size());  // edges that still have to proceed
  std::vector<uint32_t> ready;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const WaitNode& node = nodes_[i];
    const auto edges = static_cast<uint32_t>(EdgesOf(i).size());
    bool gets_on = node.needs == Needs::kNothing || (node.needs == Needs::kAll && edges == 0);
    if (strictly) {
      gets_on = gets_on || node.may_be_helped;
    } else {
      gets_on = gets_on || (node.may_be_helped && edges == 0 && !node.is_abandoned);
    }
    missing[i] = node.needs == Needs::kAny ? 1 : edges;
    if (!gets_on) continue;
    stuck[i] = false;
    ready.push_back(i);
  }
  while (!ready.empty()) {
    const uint32_t done = ready.back();
    ready.pop_back();
    for (uint32_t i = waiters_begin_[done]; i < waiters_begin_[done + 1]; ++i) {
      const uint32_t waiter = edges_[waiters_[i]].from;
      if (!stuck[waiter] || --missing[waiter] > 0) continue;
      stuck[waiter] = false;
      ready.push_back(waiter);
    }
  }
  return stuck;
}

std::vector<WaitCore> WaitGraph::Cores(const std::vector<bool>& stuck) const {
  std::vector<WaitCore> cores;
  for (std::vector<uint32_t>& component : Components(*this, stuck).Find()) {
    const uint32_t first = component.front();
    const auto edges = EdgesOf(first);
    const bool is_alone = component.size() == 1;
    const bool loops = std::any_of(edges.begin(), edges.end(),
                                   [first](const WaitEdge& edge) { return edge.to == first; });
    const bool waits = std::any_of(edges.begin(), edges.end(),
                                   [&](const WaitEdge& edge) { return stuck[edge.to]; });
    if (is_alone && !loops && waits) continue;  // it waits for a core
    cores.push_back(MakeCore(std::move(component), stuck));
    cores.back().is_circle = !is_alone || loops;
  }
  return cores;
}

// Starts at its first node and follows the edges, so that each node precedes the one for which it
// waits.
WaitCore WaitGraph::MakeCore(std::vector<uint32_t> nodes, const std::vector<bool>& stuck) const {
  WaitCore core;
  std::sort(nodes.begin(), nodes.end());
  std::vector<bool> is_taken(nodes.size());
  const auto place = [&](uint32_t node) {
    const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
    return found != nodes.end() && *found == node ? static_cast<size_t>(found - nodes.begin())
                                                  : nodes.size();
  };
  for (size_t next = 0; next < nodes.size(); ++next) {
    for (size_t at = next; at < nodes.size() && !is_taken[at];) {
      is_taken[at] = true;
      core.nodes.push_back(nodes[at]);
      size_t on = nodes.size();
      for (const WaitEdge& edge : EdgesOf(nodes[at])) {
        const size_t to = place(edge.to);
        if (to == nodes.size() || !stuck[edge.to]) continue;
        core.proof = std::min(core.proof, edge.proof);
        if (on == nodes.size() && !is_taken[to]) on = to;
      }
      at = on;
    }
  }
  return core;
}

WaitCore WaitGraph::ShortestCircle(const WaitCore& core, uint32_t node) const {
  std::vector<bool> is_inside(nodes_.size());
  for (const uint32_t inside : core.nodes) is_inside[inside] = true;
  std::vector<const WaitEdge*> reached_by(nodes_.size());
  std::vector<uint32_t> found = {node};
  for (size_t i = 0; i < found.size() && reached_by[node] == nullptr; ++i) {
    for (const WaitEdge& edge : EdgesOf(found[i])) {
      if (!is_inside[edge.to] || reached_by[edge.to] != nullptr) continue;
      reached_by[edge.to] = &edge;
      found.push_back(edge.to);
    }
  }
  if (reached_by[node] == nullptr) return core;
  WaitCore circle;
  uint32_t at = node;
  do {
    circle.proof = std::min(circle.proof, reached_by[at]->proof);
    at = reached_by[at]->from;
    circle.nodes.push_back(at);
  } while (at != node);
  std::ranges::reverse(circle.nodes);
  return circle;
}

std::vector<uint32_t> WaitGraph::Behind(const WaitCore& core,
                                        const std::vector<bool>& stuck) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<uint32_t> out;
  std::vector<uint32_t> next = core.nodes;
  for (const uint32_t node : core.nodes) seen[node] = true;
  while (!next.empty()) {
    const uint32_t node = next.back();
    next.pop_back();
    for (uint32_t i = waiters_begin_[node]; i < waiters_begin_[node + 1]; ++i) {
      const uint32_t waiter = edges_[waiters_[i]].from;
      if (!stuck[waiter] || seen[waiter]) continue;
      seen[waiter] = true;
      out.push_back(waiter);
      next.push_back(waiter);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace hindsight::analyzer
