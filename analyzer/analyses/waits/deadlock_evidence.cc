// Sentences with the evidence for a deadlock's edges.
#include <algorithm>
#include <map>
#include <set>

#include "analyzer/analyses/waits/deadlock_finder.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

struct Found {
  std::set<uint32_t> from, to;
  Proof proof = Proof::kCertain;
};

std::string Sentence(const WaitSource& source, WaitReason reason, const Found& found) {
  const auto among = [](std::string_view text, const std::set<uint32_t>& nodes,
                        std::string_view noun) {
    return std::string(text) + " (" + Plural(nodes.size(), noun) + ").";
  };
  const bool is_certain = found.proof == Proof::kCertain;
  switch (reason) {
    case WaitReason::kRuntimeMonitor:
      return among(
          "The thread's stack holds the runtime's record of the monitor that it waits to enter",
          found.from, "thread");
    case WaitReason::kNearestObject:
      return is_certain
                 ? among("The blocking frames reference exactly one object of the awaited type",
                         found.from, "thread")
                 : among(
                       "The awaited object is taken to be the one of that type nearest to the top "
                       "of the stack; there are others",
                       found.from, "thread");
    case WaitReason::kWaitEvent:
      return among("The event that the thread waits for is a continuation of the task", found.from,
                   "thread");
    case WaitReason::kJoin:
      return among("Thread.Join has the other thread's object on its stack", found.from, "thread");
    case WaitReason::kCallback:
      return among(
          "CancellationTokenRegistration.Dispose waits for the callback to end, and the other "
          "thread alone runs callbacks",
          found.from, "thread");
    case WaitReason::kLockWait:
      return among("The wait for the lock began and has not ended", found.from, "thread");
    case WaitReason::kOwnerInHeader:
      return among("The object's header or sync block names the monitor's owner", found.from,
                   "monitor");
    case WaitReason::kOwnerField:
      return among("A field of the lock names its owner", found.from, "lock");
    case WaitReason::kOwnerInEvent:
      return is_certain ? among(
                              "The runtime named the lock's owner while that owner was already "
                              "waiting: a waiting thread releases nothing",
                              found.from, "lock")
                        : among(
                              "The runtime named the lock's owner when the wait began; the owner "
                              "started waiting later and may have released the lock in between",
                              found.from, "lock");
    case WaitReason::kReaderCount:
      return among("The thread's own list of locks contains the lock", found.to, "thread");
    case WaitReason::kAwaiter:
      return among("The async method's awaiter references the task", found.from, "method");
    case WaitReason::kContinuation:
      return among("The task is registered as a continuation of the tasks that it waits for",
                   found.from, "task");
    case WaitReason::kRunsHere:
      return among("The task runs on the waiting thread", found.from, "task");
    case WaitReason::kNeedsContext:
      return among("The async method has to resume in " + source.describe(*found.to.begin()).type +
                       ", according to its continuation",
                   found.from, "method");
    case WaitReason::kQueuedInContext:
      return among(
          "The async method's continuation is queued in " + source.describe(*found.to.begin()).type,
          found.from, "method");
    case WaitReason::kServesContext:
      return among("Only waiting threads have this context as their current one", found.to,
                   "thread");
    case WaitReason::kNeedsPool:
      return among("The task's continuation is queued to the thread pool", found.from, "task");
    case WaitReason::kPoolWorker:
      return among("All thread pool workers wait, and the pool is at its maximum", found.to,
                   "thread");
    case WaitReason::kSemaphore:
      return among("The waiter is in the semaphore's queue", found.from, "wait");
    case WaitReason::kCallRuns:
      return among("The grain that it called executes this call and has not answered", found.from,
                   "call");
    case WaitReason::kCallQueued:
      return among("The call waits in the grain's queue until the grain has finished another one",
                   found.from, "call");
    case WaitReason::kMayHold:
      return among(
          "Semaphores and mutexes do not record their owner: the assumed owner has passed the "
          "point where others wait, or references the semaphore",
          found.to, "holder");
    case WaitReason::kNeedsClass:
      return among("The thread waits for a class to be initialized", found.from, "thread") +
             (is_certain || found.to.size() == 1
                  ? " Only one class constructor runs on another thread."
                  : " The stack does not show which one; the class constructors that run on other "
                    "threads are all stuck.");
    case WaitReason::kRunsInitializer:
      return among("The class constructor is on the thread's stack", found.to, "thread");
  }
  return {};
}

}  // namespace

bool TimesOut(const WaitSource& source, const WaitCore& core) {
  return core.is_circle && std::ranges::any_of(core.nodes, [&source](uint32_t index) {
           const WaitNode& node = source.waits->graph.node(index);
           return node.kind == WaitNode::Kind::kThread &&
                  source.waits->threads[node.thread].call.times_out;
         });
}

std::vector<std::string> EvidenceOf(const WaitSource& source, const WaitCore& core,
                                    bool times_out) {
  const WaitGraph& graph = source.waits->graph;
  const std::set<uint32_t> inside(core.nodes.begin(), core.nodes.end());
  std::map<WaitReason, Found> reasons;
  bool may_end = false;
  for (const uint32_t index : core.nodes) {
    const WaitNode& node = graph.node(index);
    for (const WaitEdge& edge : graph.EdgesOf(index)) {
      if (!inside.contains(edge.to)) continue;
      Found& found = reasons[edge.reason];
      found.from.insert(edge.from);
      found.to.insert(edge.to);
      found.proof = std::min(found.proof, edge.proof);
    }
    if (node.kind == WaitNode::Kind::kThread && core.is_circle) {
      may_end = may_end || !source.waits->threads[node.thread].call.endless;
    }
  }
  std::vector<std::string> out;
  for (const auto& [reason, found] : reasons) {
    out.push_back(Sentence(source, reason, found));
  }
  if (!core.is_circle) {
    const bool is_semaphore = graph.node(core.nodes.front()).kind == WaitNode::Kind::kSemaphore;
    out.push_back(is_semaphore
                      ? "Its count is 0, others wait for it, and besides those no thread or "
                        "unfinished async method was found that could have taken it: it was not "
                        "released, or a caller of one that waits has it. If it is used as a signal "
                        "rather than a lock, nothing is wrong."
                      : "The task is a promise whose TaskCompletionSource is no longer alive.");
  }
  if (reasons.contains(WaitReason::kCallRuns) || reasons.contains(WaitReason::kCallQueued)) {
    out.push_back(
        "Calls between grains have a time limit (30 s by default): then they fail with a "
        "TimeoutException.");
  }
  if (times_out) {
    out.emplace_back(kTimesOut);
  } else if (may_end) {
    out.push_back(
        "Stacks do not show whether a wait has a timeout; if one has, the deadlock ends with it.");
  }
  return out;
}

}  // namespace hindsight::analyzer
