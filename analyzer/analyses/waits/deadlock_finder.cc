#include "analyzer/analyses/waits/deadlock_finder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

using Kind = WaitNode::Kind;

class Finder {
 public:
  explicit Finder(const WaitSource& source)
      : source_(source),
        graph_(source.waits->graph),
        is_reported_(graph_.nodes().size()),
        is_explained_(graph_.nodes().size()) {}

  DeadlockReport Find() {
    DeadlockReport report;
    report.looked_at = source_.waits->counts;
    report.notes = source_.waits->notes;
    for (const bool strictly : {true, false}) {
      const std::vector<bool> stuck = graph_.Stuck(strictly);
      for (const WaitCore& core : graph_.Cores(stuck)) {
        if (std::any_of(core.nodes.begin(), core.nodes.end(),
                        [&](uint32_t node) { return is_reported_[node]; })) {
          continue;
        }
        Add(core, stuck, strictly, report.deadlocks);
      }
    }
    std::stable_sort(report.deadlocks.begin(), report.deadlocks.end(),
                     [](const Deadlock& a, const Deadlock& b) {
                       return std::tie(b.proof, b.victims) < std::tie(a.proof, a.victims);
                     });
    return report;
  }

 private:
  // Whoever waits for one semaphore and refers to another may hold that, so a circle includes all
  // who wait. The first of them that may hold one have most likely passed its await: these are
  // reported, and the others wait behind them.
  WaitCore Reported(const WaitCore& core) const {
    if (!core.is_circle) return core;
    const auto semaphore = std::ranges::find_if(
        core.nodes, [this](uint32_t node) { return graph_.node(node).kind == Kind::kSemaphore; });
    return semaphore == core.nodes.end() ? core : graph_.ShortestCircle(core, *semaphore);
  }

  void Add(const WaitCore& whole, const std::vector<bool>& stuck, bool strictly,
           std::vector<Deadlock>& out) {
    if (IsOfOneOwner(whole)) return;
    const WaitCore core = Reported(whole);
    const std::vector<uint32_t> behind = graph_.Behind(core, stuck);
    Deadlock deadlock;
    deadlock.kind = KindOf(core);
    if (!core.is_circle && !IsWorthReporting(core, behind)) return;
    deadlock.proof = core.proof;
    if (!strictly) deadlock.proof = std::min(core.proof, Proof::kLikely);
    if (!core.is_circle) deadlock.proof = Proof::kPossible;
    for (const uint32_t node : whole.nodes) is_reported_[node] = is_explained_[node] = true;
    for (const uint32_t node : behind) is_explained_[node] = true;
    AddNodes(core, deadlock);
    AddMembers(core, deadlock);
    if (deadlock.members.empty()) deadlock.cause = source_.describe(core.nodes.front());
    AddVictims(behind, deadlock);
    deadlock.times_out = TimesOut(source_, core);
    deadlock.evidence = EvidenceOf(source_, core, deadlock.times_out);
    out.push_back(std::move(deadlock));
  }

  // A thread that waits for something that it owns. These locks are reentrant, so it is not a
  // deadlock, but an owner that was read while it released the lock.
  bool IsOfOneOwner(const WaitCore& core) const {
    if (!core.is_circle || core.nodes.size() != 2) return false;
    const auto kind = [&](size_t i) { return graph_.node(core.nodes[i]).kind; };
    const auto lets_in = [](Kind of) {
      return of == Kind::kMonitor || of == Kind::kLock || of == Kind::kMutex;
    };
    return (kind(0) == Kind::kThread && lets_in(kind(1))) ||
           (kind(1) == Kind::kThread && lets_in(kind(0)));
  }

  // Without a circle: something that will not proceed, as it seems. A task alone is not a deadlock,
  // only if a thread blocks on it and there is no better explanation.
  bool IsWorthReporting(const WaitCore& core, const std::vector<uint32_t>& behind) const {
    if (graph_.node(core.nodes.front()).kind != Kind::kTask) return !behind.empty();
    return std::any_of(behind.begin(), behind.end(),
                       [&](uint32_t node) { return graph_.node(node).kind == Kind::kThread; });
  }

  std::string KindOf(const WaitCore& core) const {
    std::set<Kind> kinds;
    for (const uint32_t node : core.nodes) kinds.insert(graph_.node(node).kind);
    const bool has_threads = kinds.contains(Kind::kThread);
    const bool has_tasks = kinds.contains(Kind::kTask);
    const bool has_locks = std::any_of(kinds.begin(), kinds.end(), HasOwner);
    if (!core.is_circle) return has_tasks ? "never completed" : "never released";
    if (kinds.contains(Kind::kSemaphore)) return "semaphore cycle";
    if (kinds.contains(Kind::kContext) || kinds.contains(Kind::kPool)) return "sync over async";
    if (has_tasks && !has_threads) return "task cycle";
    if (has_tasks) return has_locks ? "mixed cycle" : "sync over async";
    return has_locks ? "lock cycle" : "thread cycle";
  }

  void AddNodes(const WaitCore& core, Deadlock& deadlock) const {
    std::map<uint32_t, size_t> places;
    for (const uint32_t index : core.nodes) {
      places.emplace(index, deadlock.nodes.size());
      deadlock.nodes.push_back({.target = Target(index), .member = {}});
    }
    for (const uint32_t index : core.nodes) {
      for (const WaitEdge& edge : graph_.EdgesOf(index)) {
        const auto to = places.find(edge.to);
        if (to == places.end()) continue;
        deadlock.edges.push_back({.from = places.at(index),
                                  .to = to->second,
                                  .proof = edge.proof,
                                  .reason = edge.reason});
      }
    }
  }

  void AddMembers(const WaitCore& core, Deadlock& deadlock) const {
    if (!core.is_circle) return;
    const std::set<uint32_t> inside(core.nodes.begin(), core.nodes.end());
    const bool has_threads = std::any_of(core.nodes.begin(), core.nodes.end(), [&](uint32_t node) {
      return graph_.node(node).kind == Kind::kThread;
    });
    for (size_t i = 0; i < core.nodes.size(); ++i) {
      const uint32_t index = core.nodes[i];
      const WaitNode& node = graph_.node(index);
      if (has_threads ? node.kind != Kind::kThread
                      : node.kind != Kind::kTask || source_.is_link(index)) {
        continue;
      }
      DeadlockMember member;
      if (node.kind == Kind::kThread) {
        member = MemberOf(source_, node.thread);
      } else {
        member.task = source_.task_id(index);
        member.task_type = source_.describe(index).type;
        member.stack = source_.async_stack(index);
        member.site = source_.async_site(index);
      }
      member.waits_for = WaitsFor(index, inside);
      AddHeld(index, inside, member);
      deadlock.nodes[i].member = deadlock.members.size();
      deadlock.members.push_back(std::move(member));
    }
  }

  WaitTarget Target(uint32_t index) const { return TargetOf(source_, index); }

  // The target of the edge that stays within `inside`; links are skipped.
  WaitTarget WaitsFor(uint32_t index, const std::set<uint32_t>& inside) const {
    std::set<uint32_t> passed;
    for (uint32_t at = index; passed.insert(at).second;) {
      uint32_t next = at;
      for (const WaitEdge& edge : graph_.EdgesOf(at)) {
        if (!inside.contains(edge.to)) continue;
        next = edge.to;
        // Prefer what it awaits to where it would continue.
        if (graph_.node(next).kind != Kind::kContext) break;
      }
      if (next == at) break;
      if (graph_.node(next).kind != Kind::kTask || !source_.is_link(next)) return Target(next);
      at = next;
    }
    return {};
  }

  void AddHeld(uint32_t index, const std::set<uint32_t>& inside, DeadlockMember& member) const {
    std::set<std::pair<uint64_t, uint64_t>> seen;
    for (const WaitEdge& edge : graph_.WaitersOf(index)) {
      const WaitNode& lock = graph_.node(edge.from);
      if (!inside.contains(edge.from) || (!HasOwner(lock.kind) && lock.kind != Kind::kSemaphore)) {
        continue;
      }
      WaitTarget target = Target(edge.from);
      if (!seen.emplace(target.address, target.lock).second) continue;
      if (member.thread && member.taken_at.empty()) {
        member.taken_at = source_.taken_at(source_.waits->threads[*member.thread], edge.from);
      }
      member.holds.push_back(std::move(target));
    }
  }

  // Whether it is what a thread does, which is counted itself.
  bool RunsOnWaitingThread(uint32_t task) const {
    return std::ranges::any_of(graph_.EdgesOf(task), [&](const WaitEdge& edge) {
      return edge.reason == WaitReason::kRunsHere;
    });
  }

  // Counts every thread, and every chain of async methods that none of them waits for.
  void AddVictims(const std::vector<uint32_t>& behind, Deadlock& deadlock) const {
    const std::set<uint32_t> all(behind.begin(), behind.end());
    std::vector<bool> is_threads(graph_.nodes().size());
    std::vector<uint32_t> next;
    for (const uint32_t node : behind) {
      if (graph_.node(node).kind == Kind::kThread) next.push_back(node);
    }
    while (!next.empty()) {
      const uint32_t node = next.back();
      next.pop_back();
      for (const WaitEdge& edge : graph_.EdgesOf(node)) {
        if (graph_.node(edge.to).kind != Kind::kTask || is_threads[edge.to]) continue;
        is_threads[edge.to] = true;
        next.push_back(edge.to);
      }
    }
    using Place = std::tuple<std::string, std::string, uint64_t, std::string>;
    std::map<Place, DeadlockVictims> places;
    for (const uint32_t index : behind) {
      const WaitNode& node = graph_.node(index);
      DeadlockVictims victim;
      if (node.kind == Kind::kThread) {
        const WaitModel::Thread& thread = source_.waits->threads[node.thread];
        const MethodId site = source_.calls->Site(thread.path, thread.call.frames);
        victim.at = MethodDisplayName(*source_.dictionaries, site);
        deadlock.victim_threads.push_back(thread.os_id);
      } else if (node.kind == Kind::kTask && !is_threads[index] && source_.is_activity(index) &&
                 !RunsOnWaitingThread(index)) {
        victim.at = source_.describe(index).type;
      } else {
        continue;
      }
      ++deadlock.victims;
      victim.waits_for = FirstTarget(index);
      const Place place(victim.waits_for.kind, victim.waits_for.type, victim.waits_for.address,
                        victim.at);
      ++places.try_emplace(place, std::move(victim)).first->second.count;
    }
    for (auto& [place, victims] : places) deadlock.crowd.push_back(std::move(victims));
    std::stable_sort(deadlock.crowd.begin(), deadlock.crowd.end(),
                     [](const auto& a, const auto& b) { return a.count > b.count; });
  }

  WaitTarget FirstTarget(uint32_t index) const {
    for (int steps = 0; steps < 16; ++steps) {
      const auto edges = graph_.EdgesOf(index);
      if (edges.empty()) break;
      index = edges.front().to;
      if (graph_.node(index).kind != Kind::kTask || !source_.is_link(index)) return Target(index);
    }
    return {};
  }

  const WaitSource& source_;
  const WaitGraph& graph_;
  std::vector<bool> is_reported_;   // in a core
  std::vector<bool> is_explained_;  // in a core, or behind one
};

}  // namespace

WaitTarget TargetOf(const WaitSource& source, uint32_t index) {
  const WaitNode& node = source.waits->graph.node(index);
  if (node.kind != Kind::kThread) return source.describe(index);
  const WaitModel::Thread& thread = source.waits->threads[node.thread];
  WaitTarget target;
  target.kind = "thread";
  target.type = std::string(source.dictionaries->String(thread.name));
  return target;
}

DeadlockMember MemberOf(const WaitSource& source, uint32_t index) {
  const WaitModel::Thread& thread = source.waits->threads[index];
  DeadlockMember member;
  member.thread = index;
  member.os_id = thread.os_id;
  member.name = std::string(source.dictionaries->String(thread.name));
  member.since_ns = thread.since_ns;
  for (const MethodId method : thread.path) {
    member.stack.push_back(MethodDisplayName(*source.dictionaries, method));
  }
  if (!thread.path.empty()) {
    const Place place = WaitSiteOf(*source.places, *source.calls, thread.path);
    member.site = MethodDisplayName(*source.dictionaries, place.site);
  }
  return member;
}

DeadlockReport FindDeadlocks(const WaitSource& source) { return Finder(source).Find(); }

}  // namespace hindsight::analyzer
