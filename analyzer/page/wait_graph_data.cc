#include "analyzer/page/wait_graph_data.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/analyses/waits/wait_queues.h"
#include "analyzer/base/text.h"
#include "analyzer/page/text_table.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/waits/deadlocks_report.h"

namespace hindsight::analyzer {
namespace {

std::string_view Says(WaitReason reason) {
  switch (reason) {
    case WaitReason::kRuntimeMonitor:
    case WaitReason::kNearestObject:
    case WaitReason::kWaitEvent:
    case WaitReason::kCallback:
    case WaitReason::kLockWait:
    case WaitReason::kContinuation:
    case WaitReason::kSemaphore:
    case WaitReason::kNeedsClass:
      return "waits for";
    case WaitReason::kJoin:
      return "joins";
    case WaitReason::kOwnerInHeader:
    case WaitReason::kOwnerField:
    case WaitReason::kOwnerInEvent:
    case WaitReason::kReaderCount:
      return "held by";
    case WaitReason::kCallRuns:
      return "answered by";
    case WaitReason::kCallQueued:
      return "queued behind";
    case WaitReason::kMayHold:
      return "may be held by";
    case WaitReason::kAwaiter:
      return "awaits";
    case WaitReason::kRunsHere:
    case WaitReason::kRunsInitializer:
      return "runs on";
    case WaitReason::kNeedsContext:
      return "resumes in";
    case WaitReason::kQueuedInContext:
    case WaitReason::kNeedsPool:
      return "queued in";
    case WaitReason::kServesContext:
    case WaitReason::kPoolWorker:
      return "served by";
  }
  return "waits for";
}

// Without namespaces and outer types: Account for Shop.Account; for a method, with its type.
std::string_view Short(std::string_view name, bool is_method) {
  const size_t end = std::min(name.find_first_of("<(["), name.size());
  size_t dot = name.rfind('.', end);
  if (is_method && dot != std::string_view::npos && dot > 0) dot = name.rfind('.', dot - 1);
  return dot == std::string_view::npos || dot + 1 >= end ? name : name.substr(dot + 1);
}

std::string IdOf(const WaitTarget& target) {
  return target.address != 0 ? AddressText(target.address)
         : target.lock != 0  ? AddressText(target.lock)
                             : std::string();
}

std::string TargetText(const WaitTarget& target) {
  if (target.kind.empty()) return "something unknown";
  std::string out = target.kind;
  if (!target.name().empty()) out += " " + PageText(target.name());
  if (const std::string id = IdOf(target); !id.empty()) out += " " + id;
  return out;
}

bool IsSame(const WaitTarget& a, const WaitTarget& b) {
  return std::tie(a.kind, a.type, a.address, a.lock) == std::tie(b.kind, b.type, b.address, b.lock);
}

Json MemberData(const DeadlockMember& member, const WaitGraphLimits& limits) {
  Json holds = Json::array();
  for (const WaitTarget& held : member.holds) {
    if (holds.size() == limits.nodes) break;
    holds.push_back(TargetText(held));
  }
  const size_t frames = std::min(member.stack.size(), limits.frames);
  Json stack = Json::array();
  for (size_t i = 0; i < frames; ++i) stack.push_back(PageText(member.stack[i]));
  return {
      {"sinceNs", member.since_ns ? Json(*member.since_ns) : Json()},
      {"waitsFor", member.waits_for.kind.empty() ? std::string() : TargetText(member.waits_for)},
      {"holds", std::move(holds)},
      {"takenAt", PageText(member.taken_at)},
      {"stack", std::move(stack)},
      {"moreFrames", member.stack.size() - frames}};
}

Json NodeData(const Deadlock& deadlock, const DeadlockNode& node, const WaitGraphLimits& limits) {
  const bool is_async = node.target.kind == "task";
  std::string kind = node.target.kind;
  std::string name = node.target.type;
  std::string id = IdOf(node.target);
  Json member;
  if (node.member) {
    const DeadlockMember& it = deadlock.members[*node.member];
    if (it.os_id) id = "thread " + std::to_string(*it.os_id);
    if (it.task != 0) id = "task " + std::to_string(it.task);
    member = MemberData(it, limits);
  }
  std::string title(kind == "thread" ? name : Short(name, is_async));
  if (title.empty()) title = id.empty() ? kind : id;
  return {{"kind", kind},
          {"title", PageText(title, 120)},
          {"name", PageText(name)},
          {"id", id},
          {"member", std::move(member)}};
}

// If a large circle has many members, some are shown at its beginning, and one node represents the
// others.
Json NodesData(const Deadlock& deadlock, size_t shown, const WaitGraphLimits& limits) {
  Json nodes = Json::array();
  for (size_t i = 0; i < shown; ++i) {
    nodes.push_back(NodeData(deadlock, deadlock.nodes[i], limits));
  }
  if (shown < deadlock.nodes.size()) {
    nodes.push_back({{"kind", "more"},
                     {"title", FormatCount(deadlock.nodes.size() - shown) + " more"},
                     {"name", "Not shown; see `hindsight deadlocks --json`"},
                     {"id", ""},
                     {"member", Json()}});
  }
  return nodes;
}

Json EdgesData(const Deadlock& deadlock, size_t shown) {
  Json edges = Json::array();
  std::vector<std::pair<size_t, size_t>> to_more;
  for (const DeadlockEdge& edge : deadlock.edges) {
    const std::pair ends(std::min(edge.from, shown), std::min(edge.to, shown));
    if (ends.first == shown || ends.second == shown) {
      const bool is_known = std::find(to_more.begin(), to_more.end(), ends) != to_more.end();
      if (ends.first == ends.second || is_known) continue;
      to_more.push_back(ends);
    }
    edges.push_back({{"from", ends.first},
                     {"to", ends.second},
                     {"says", Says(edge.reason)},
                     {"proof", NameOf(kProofs, edge.proof)}});
  }
  return edges;
}

Json DeadlockData(const Deadlock& deadlock, const WaitGraphLimits& limits) {
  const size_t count = deadlock.nodes.size();
  const size_t shown = count > limits.nodes ? limits.nodes - 1 : count;
  Json crowds = Json::array();
  uint64_t elsewhere = deadlock.victims;
  for (const DeadlockVictims& victims : deadlock.crowd) {
    if (crowds.size() == limits.crowds) break;
    int64_t node = -1;
    for (size_t i = 0; i < count && node < 0; ++i) {
      if (IsSame(deadlock.nodes[i].target, victims.waits_for)) {
        node = static_cast<int64_t>(std::min(i, shown));
      }
    }
    crowds.push_back({{"count", victims.count},
                      {"at", PageText(victims.at)},
                      {"waitsFor", TargetText(victims.waits_for)},
                      {"node", node}});
    elsewhere -= std::min(elsewhere, victims.count);
  }
  return {{"kind", deadlock.kind},
          {"confidence", NameOf(kProofs, deadlock.proof)},
          {"victims", deadlock.victims},
          {"nodes", NodesData(deadlock, shown, limits)},
          {"edges", EdgesData(deadlock, shown)},
          {"crowds", std::move(crowds)},
          {"elsewhere", elsewhere},
          {"evidence", JsonTexts(deadlock.evidence)}};
}

// As a deadlock, because it is drawn in the same way.
Json QueueData(const WaitQueue& queue, const WaitGraphLimits& limits) {
  Deadlock like;
  like.kind = "queue";
  like.nodes = queue.nodes;
  like.edges = queue.edges;
  like.members = queue.members;
  like.crowd = queue.crowd;
  for (const DeadlockVictims& victims : queue.crowd) like.victims += victims.count;
  return DeadlockData(like, limits);
}

}  // namespace

Json WaitGraphData(const Reports& now, const WaitGraphLimits& limits) {
  const DeadlockReport& report = now.deadlocks;
  Json queues = Json::array();
  if (report.deadlocks.empty() && now.heap) {
    for (const WaitQueue& queue : FindWaitQueues(now.heap->waits)) {
      queues.push_back(QueueData(queue, limits));
    }
  }
  if (report.deadlocks.empty() && queues.empty()) return nullptr;
  Json deadlocks = Json::array();
  for (const Deadlock& deadlock : report.deadlocks) {
    if (deadlocks.size() == limits.deadlocks) break;
    deadlocks.push_back(DeadlockData(deadlock, limits));
  }
  const WaitModel::Counts& counts = report.looked_at;
  const size_t left_out = report.deadlocks.size() - deadlocks.size();
  return {
      {"fromHeap", now.deadlocks_from_heap},
      {"lookedAt", Plural(counts.threads, "thread") + ", " + FormatCount(counts.waiting_threads()) +
                       " of them waiting; " + Plural(counts.locks, "lock") + " in use; " +
                       Plural(counts.unfinished_tasks, "unfinished task")},
      {"notes", JsonTexts(report.notes)},
      {"deadlocks", std::move(deadlocks)},
      {"leftOut", left_out},
      {"queues", std::move(queues)}};
}

}  // namespace hindsight::analyzer
