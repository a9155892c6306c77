// Sentences for what a deadlock's edges rest on.
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
          "The runtime's own part of a thread's stack names the monitor that the thread waits to "
          "enter",
          found.from, "thread");
    case WaitReason::kNearestObject:
      return is_certain
                 ? among(
                       "The frames that block a thread have one object only of the type that it "
                       "waits for",
                       found.from, "thread")
                 : among(
                       "What a thread waits for is the object of that type nearest to the top "
                       "of its stack; there are others",
                       found.from, "thread");
    case WaitReason::kWaitEvent:
      return among(
          "The event that a thread sleeps on is among the continuations of the task that it waits "
          "for",
          found.from, "thread");
    case WaitReason::kJoin:
      return among("Thread.Join has the object of the other thread on its stack", found.from,
                   "thread");
    case WaitReason::kLockWait:
      return among("The wait for the lock began and has not ended", found.from, "thread");
    case WaitReason::kOwnerInHeader:
      return among("The object's header or sync block names the owner of the monitor", found.from,
                   "monitor");
    case WaitReason::kOwnerField:
      return among("A field of the lock names its owner", found.from, "lock");
    case WaitReason::kOwnerInEvent:
      return is_certain
                 ? among(
                       "The runtime named the owner of the lock when that was waiting already: "
                       "who waits releases nothing",
                       found.from, "lock")
                 : among(
                       "The runtime named the owner of the lock as a wait began; the owner began "
                       "to wait later, and may have released the lock in between",
                       found.from, "lock");
    case WaitReason::kReaderCount:
      return among("A thread's own list of locks says that it has entered the lock", found.to,
                   "thread");
    case WaitReason::kAwaiter:
      return among("The awaiter of an async method has the task that it waits for", found.from,
                   "method");
    case WaitReason::kContinuation:
      return among("A task is among the continuations of those that it waits for", found.from,
                   "task");
    case WaitReason::kRunsHere:
      return among("A task runs on the thread that waits", found.from, "task");
    case WaitReason::kNeedsContext:
      return among("The rest of an async method has to run in " +
                       source.describe(*found.to.begin()).type + ", as its continuation says",
                   found.from, "method");
    case WaitReason::kQueuedInContext:
      return among("The rest of an async method stands in the queue of " +
                       source.describe(*found.to.begin()).type,
                   found.from, "method");
    case WaitReason::kServesContext:
      return among("Nobody but threads that wait has this context as the current one", found.to,
                   "thread");
    case WaitReason::kNeedsPool:
      return among("The rest of a task stands in the queue of the thread pool", found.from, "task");
    case WaitReason::kPoolWorker:
      return among("All workers of the thread pool wait, and it may not have more", found.to,
                   "thread");
    case WaitReason::kSemaphore:
      return among("The wait stands in the queue of the semaphore", found.from, "wait");
    case WaitReason::kMayHold:
      return among(
          "A semaphore or mutex does not tell who has it: who is said to has passed the place "
          "where others wait for it, or keeps it",
          found.to, "holder");
  }
  return {};
}

}  // namespace

std::vector<std::string> EvidenceOf(const WaitSource& source, const WaitCore& core) {
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
                      ? "Its count is 0, others wait for it, and no thread and no unfinished async "
                        "method was found that may have taken it. If it is a signal and no lock, "
                        "nothing is wrong."
                      : "The task is a promise, and no TaskCompletionSource that could keep it is "
                        "alive.");
  }
  if (may_end) {
    out.push_back(
        "Frames do not tell whether a wait has a timeout; if one has, this ends with it.");
  }
  return out;
}

}  // namespace hindsight::analyzer
