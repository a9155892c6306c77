#include "analyzer/analyses/waits/wait_queues.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyzer/analyses/waits/deadlock_finder.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;

class Queues {
 public:
  Queues(const HeapWaits& heap, const WaitQueueRules& rules)
      : source_(SourceOf(heap)), graph_(heap.waits().graph), rules_(rules) {}

  std::vector<WaitQueue> Find() {
    const std::vector<bool> stuck = graph_.Stuck(false);
    std::vector<std::pair<uint64_t, uint32_t>> locks;  // by number of waiters
    for (uint32_t i = 0; i < graph_.nodes().size(); ++i) {
      if (!HasOwner(graph_.node(i).kind) || stuck[i]) continue;
      const uint64_t waiters = graph_.WaitersOf(i).size();
      if (waiters >= rules_.min_waiters) locks.emplace_back(waiters, i);
    }
    std::stable_sort(locks.begin(), locks.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<WaitQueue> queues;
    for (const auto& [waiters, lock] : locks) {
      if (queues.size() == rules_.queues) break;
      if (drawn_.contains(lock)) continue;
      queues.push_back(Follow(lock));
      queues.back().waiters = waiters;
    }
    return queues;
  }

 private:
  WaitQueue Follow(uint32_t lock) {
    WaitQueue queue;
    std::vector<uint32_t> chain;
    for (uint32_t at = lock; queue.nodes.size() < rules_.nodes && drawn_.insert(at).second;) {
      chain.push_back(at);
      queue.nodes.push_back({.target = TargetOf(source_, at), .member = {}});
      const auto edges = graph_.EdgesOf(at);
      if (graph_.node(at).kind == Kind::kThread) AddMember(at, chain, queue);
      if (edges.empty()) break;
      at = edges.front().to;
      if (drawn_.contains(at) || queue.nodes.size() == rules_.nodes) break;
      queue.edges.push_back({.from = queue.nodes.size() - 1,
                             .to = queue.nodes.size(),
                             .proof = edges.front().proof,
                             .reason = edges.front().reason});
    }
    AddCrowds(chain, queue);
    return queue;
  }

  void AddMember(uint32_t node, const std::vector<uint32_t>& chain, WaitQueue& queue) const {
    DeadlockMember member = MemberOf(source_, graph_.node(node).thread);
    const auto edges = graph_.EdgesOf(node);
    if (!edges.empty()) member.waits_for = TargetOf(source_, edges.front().to);
    if (chain.size() > 1) member.holds.push_back(TargetOf(source_, chain[chain.size() - 2]));
    queue.nodes.back().member = queue.members.size();
    queue.members.push_back(std::move(member));
  }

  // Counts what waits for a lock of the chain without being in it, by method.
  void AddCrowds(const std::vector<uint32_t>& chain, WaitQueue& queue) const {
    const std::set<uint32_t> inside(chain.begin(), chain.end());
    for (const uint32_t lock : chain) {
      if (!HasOwner(graph_.node(lock).kind)) continue;
      std::map<std::string, uint64_t> methods;
      for (const WaitEdge& edge : graph_.WaitersOf(lock)) {
        if (!inside.contains(edge.from)) ++methods[PlaceOf(edge.from)];
      }
      for (const auto& [at, count] : methods) {
        queue.crowd.push_back({.count = count, .waits_for = TargetOf(source_, lock), .at = at});
      }
    }
    std::stable_sort(queue.crowd.begin(), queue.crowd.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
  }

  std::string PlaceOf(uint32_t node) const {
    if (graph_.node(node).kind != Kind::kThread) return source_.describe(node).type;
    const WaitModel::Thread& thread = source_.waits->threads[graph_.node(node).thread];
    return MethodDisplayName(*source_.dictionaries,
                             source_.calls->Site(thread.path, thread.call.frames));
  }

  const WaitSource source_;
  const WaitGraph& graph_;
  const WaitQueueRules rules_;
  std::set<uint32_t> drawn_;
};

}  // namespace

std::vector<WaitQueue> FindWaitQueues(const HeapWaits& heap, const WaitQueueRules& rules) {
  return Queues(heap, rules).Find();
}

}  // namespace hindsight::analyzer
