#include "analyzer/analyses/heap/dominators.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "analyzer/analyses/heap/depth_first.h"
#include "analyzer/base/column.h"
#include "analyzer/base/parallel.h"
#include "analyzer/base/progress.h"

namespace hindsight::analyzer {
namespace {

// Semi-NCA (Georgiadis, 2005) on the numbers of a depth-first search: 0 is the super root, and an
// ancestor has a smaller number than its descendants. Columns are freed and reused between the
// steps: see bench/graph for the peak.
class SemiNca {
 public:
  SemiNca(const HeapGraph& graph, DepthFirst search, Progress* progress)
      : graph_(graph), search_(std::move(search)), progress_(progress) {}

  // Immediate dominators by number; [0] is 0.
  Column<uint32_t> Run() {
    GatherPredecessors();
    search_.number.Free();
    FindSemidominators();
    predecessors_.Free();
    FindDominators();
    return std::move(search_.parent);
  }
  // The object of each number.
  Column<ObjectId> TakeOrder() { return std::move(search_.order); }

 private:
  struct Link {
    uint32_t ancestor = 0;  // of the same tree; path compression moves it up
    uint32_t label = 0;     // the smallest semidominator on the way to it
  };

  struct Edge {
    uint32_t from = 0;
    uint32_t to = 0;
  };
  static constexpr size_t kBlock = 128;
  // How far ahead memory is prefetched: enough for it to arrive, but not so much that it is evicted
  // again.
  static constexpr uint32_t kAhead = 24;

  // Climbs ahead of Smallest, so that the links are cached when it gets there. Predecessors are
  // visited from the last to the first; each climbs one step whenever kApart others were visited.
  class Climbs {
   public:
    void Advance(const Column<uint32_t>& predecessors, const Column<Link>& links, uint32_t i,
                 uint32_t above) {
      if (i < kApart * kSteps) return;
      uint32_t at = i - kApart * kSteps;
      Fetch(links, at, predecessors[at]);
      for (uint32_t step = 1; step < kSteps; ++step) {
        at += kApart;
        const uint32_t v = place_[at % kPlaces];
        if (v > above) Fetch(links, at, links[v].ancestor);
      }
    }

   private:
    void Fetch(const Column<Link>& links, uint32_t at, uint32_t v) {
      place_[at % kPlaces] = v;
      __builtin_prefetch(&links[v]);
    }

    static constexpr uint32_t kSteps = 6, kApart = 8, kPlaces = 64;
    uint32_t place_[kPlaces] = {};
  };

  template <typename Take>
  void ForEachEdge(Take take);
  void GatherPredecessors();
  void FindSemidominators();
  uint32_t Smallest(uint32_t from, uint32_t above);
  void FindDominators();
  bool FindDominatorsBySteps();
  void FindDominatorsByJumps();
  uint32_t SemidominatorOf(uint32_t v) const { return begin_[v + 1]; }

  const HeapGraph& graph_;
  DepthFirst search_;
  Progress* const progress_;
  // Predecessors of v: from begin_[v] to begin_[v + 1]. FindSemidominators leaves the semidominator
  // of v in begin_[v + 1], which is no longer needed then.
  Column<uint32_t> begin_;
  Column<uint32_t> predecessors_;
  Column<Link> links_;
  Column<uint32_t> path_;  // a stack
};

// Calls take(edges) with blocks of all edges except those of the tree, which are known anyway. Uses
// all processors. Whatever an edge touches is prefetched one block ahead, to wait for memory once
// per block instead of once per edge.
template <typename Take>
void SemiNca::ForEachEdge(Take take) {
  const Column<uint32_t>& number = search_.number;
  const Column<uint32_t>& parent = search_.parent;
  constexpr uint32_t kStretch = 1u << 14;
  std::atomic<uint64_t> next = 0;
  RunParallel([&](unsigned) {
    std::vector<Edge> edges(kBlock);
    size_t count = 0;
    const auto flush = [&] {
      size_t kept = 0;
      for (size_t i = 0; i < count; ++i) {
        const Edge edge = edges[i];
        if (parent[edge.to] != edge.from && edge.to != edge.from) edges[kept++] = edge;
      }
      take(std::span(edges).first(kept));
      count = 0;
    };
    const auto add = [&](uint32_t from, ObjectId object) {
      const uint32_t to = number[object];
      edges[count++] = {from, to};
      __builtin_prefetch(&parent[to]);
      __builtin_prefetch(&begin_[to], 1);
      if (count == kBlock) flush();
    };
    for (uint64_t begin; (begin = next.fetch_add(kStretch)) < graph_.size();) {
      const auto end = static_cast<ObjectId>(std::min<uint64_t>(begin + kStretch, graph_.size()));
      const ObjectId* const last = graph_.References(end - 1).data();
      for (auto id = static_cast<ObjectId>(begin); id < end; ++id) {
        const uint32_t from = number[id];
        if (from == 0) continue;
        for (const ObjectId& target : graph_.References(id)) {
          if (&target + kAhead < last) __builtin_prefetch(&number[(&target)[kAhead]]);
          add(from, target);
        }
      }
    }
    flush();
  });
  std::vector<Edge> others;
  const auto add = [&](uint32_t from, uint32_t to) {
    if (parent[to] != from && to != from) others.push_back({from, to});
  };
  for (const HeapDependent& pair : graph_.dependents()) {
    if (number[pair.key] != 0) add(number[pair.key], number[pair.value]);
  }
  for (const HeapRoot& root : graph_.roots()) {
    if (HoldsObject(root)) add(0, number[root.object]);
  }
  take(std::span(others));
}

void SemiNca::GatherPredecessors() {
  const uint32_t count = search_.count;
  begin_ = Column<uint32_t>(size_t{count} + 2);
  const auto at = [this](uint32_t v) { return std::atomic_ref(begin_[v]); };
  ForEachEdge([&](std::span<Edge> edges) {
    for (const Edge& edge : edges) at(edge.to).fetch_add(1, std::memory_order_relaxed);
  });
  uint32_t sum = 0;  // fewer than the graph's references, roots and dependents
  for (uint32_t v = 0; v <= count; ++v) begin_[v] = sum += begin_[v];
  begin_[count + 1] = sum;
  predecessors_ = Column<uint32_t>(sum);
  ForEachEdge([&](std::span<Edge> edges) {
    for (Edge& edge : edges) {
      edge.to = at(edge.to).fetch_sub(1, std::memory_order_relaxed) - 1;
      __builtin_prefetch(&predecessors_[edge.to], 1);
    }
    for (const Edge& edge : edges) predecessors_[edge.to] = edge.from;
  });
}

void SemiNca::FindSemidominators() {
  const uint32_t count = search_.count;
  links_ = Column<Link>(size_t{count} + 1);
  path_ = Column<uint32_t>(size_t{count} + 1);
  for (uint32_t v = 0; v <= count; ++v) links_[v] = {search_.parent[v], v};
  Climbs climbs;
  if (progress_ != nullptr) progress_->Start(count);
  for (uint32_t v = count; v > 0; --v) {
    if (progress_ != nullptr && v % (1u << 16) == 0) progress_->Update(count - v);
    uint32_t semi = search_.parent[v];
    const uint32_t begin = begin_[v];
    for (uint32_t i = begin_[v + 1]; i-- > begin;) {
      climbs.Advance(predecessors_, links_, i, v);
      const uint32_t from = predecessors_[i];
      semi = std::min(semi, from < v ? from : Smallest(from, v));
    }
    begin_[v + 1] = links_[v].label = semi;
  }
  if (progress_ != nullptr) progress_->Finish();
  links_.Free();
  path_.Free();
}

// The smallest label from `from` up to the last ancestor above `above`.
uint32_t SemiNca::Smallest(uint32_t from, uint32_t above) {
  uint32_t depth = 0;
  uint32_t v = from;
  for (; links_[v].ancestor > above; v = links_[v].ancestor) path_[depth++] = v;
  const uint32_t top = links_[v].ancestor;
  uint32_t smallest = links_[v].label;
  while (depth > 0) {
    Link& link = links_[path_[--depth]];
    smallest = std::min(smallest, link.label);
    link = {top, smallest};
  }
  return smallest;
}

// The dominator of v is the nearest ancestor of its parent, in the tree of dominators, that is not
// below its semidominator.
void SemiNca::FindDominators() {
  if (!FindDominatorsBySteps()) FindDominatorsByJumps();
  begin_.Free();
}

// Almost always takes a step or two. False if it takes far too many; then nothing has changed.
bool SemiNca::FindDominatorsBySteps() {
  uint64_t steps_left = uint64_t{search_.count} * 16 + 1'000'000;
  Column<uint32_t> dominator(size_t{search_.count} + 1);
  for (uint32_t v = 1; v <= search_.count; ++v) {
    if (v + kAhead < dominator.size()) {
      __builtin_prefetch(&dominator[search_.parent[v + kAhead]]);
    }
    const uint32_t semi = SemidominatorOf(v);
    uint32_t at = search_.parent[v];
    for (; at > semi; at = dominator[at]) {
      if (--steps_left == 0) return false;
    }
    dominator[v] = at;
  }
  search_.parent = std::move(dominator);
  return true;
}

// Climbs long distances in a logarithmic number of steps: nodes know an ancestor far above them
// (Myers, 1983).
void SemiNca::FindDominatorsByJumps() {
  const size_t size = size_t{search_.count} + 1;
  Column<uint32_t> dominator(size), jump(size), depth(size);
  for (uint32_t v = 1; v < size; ++v) {
    const uint32_t semi = SemidominatorOf(v);
    uint32_t at = search_.parent[v];
    while (at > semi) at = jump[at] >= semi ? jump[at] : dominator[at];
    dominator[v] = at;
    depth[v] = depth[at] + 1;
    const uint32_t far = jump[at];
    jump[v] = depth[at] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : at;
  }
  search_.parent = std::move(dominator);
}

// A vector whose memory is in large pages.
template <typename T>
void Resize(std::vector<T>& vector, size_t size, T value) {
  vector.reserve(size);
  AdviseLargePages(vector.data(), size * sizeof(T));
  vector.resize(size, value);
}

// Adds what each object retains to its dominator, in reverse order of discovery: the last one found
// has none below it.
void SumRetained(const Column<uint32_t>& dominator, const Column<ObjectId>& order,
                 Dominators& result) {
  constexpr size_t kFar = 32, kNear = 16;
  for (size_t v = order.size() - 1; v > 0; --v) {
    if (v > kFar) {
      __builtin_prefetch(&order[dominator[v - kFar]]);
      __builtin_prefetch(&result.retained[order[v - kFar]], 1);
      __builtin_prefetch(&result.immediate[order[v - kFar]], 1);
      const uint32_t near = dominator[v - kNear];
      if (near != 0) __builtin_prefetch(&result.retained[order[near]], 1);
    }
    const ObjectId id = order[v];
    if (dominator[v] == 0) {
      result.immediate[id] = kSuperRoot;
      continue;
    }
    const ObjectId owner = order[dominator[v]];
    result.immediate[id] = owner;
    result.retained[owner] += result.retained[id];
  }
}

}  // namespace

Dominators ComputeDominators(const HeapGraph& graph, Progress* progress) {
  Dominators result;
  const uint32_t size = graph.size();
  SemiNca search(graph, SearchDepthFirst(graph), progress);
  const Column<uint32_t> dominator = search.Run();
  const Column<ObjectId> order = search.TakeOrder();

  Resize(result.immediate, size, kNoObject);
  Resize(result.retained, size, uint64_t{0});
  uint64_t all_bytes = 0;
  for (ObjectId id = 0; id < size; ++id) all_bytes += result.retained[id] = graph.Bytes(id);
  SumRetained(dominator, order, result);
  for (ObjectId id = 0; id < size; ++id) {
    if (result.IsReachable(id)) continue;
    ++result.unreachable_objects;
    result.unreachable_bytes += std::exchange(result.retained[id], 0);
  }
  result.reachable_objects = size - result.unreachable_objects;
  result.reachable_bytes = all_bytes - result.unreachable_bytes;
  return result;
}

}  // namespace hindsight::analyzer
