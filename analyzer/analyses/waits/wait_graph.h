// Who waits for whom: threads, tasks, locks, contexts and the pool as nodes; an edge leads from
// what waits to what has to proceed first.
//
// A node can proceed when all, or any, of those that its edges lead to proceed. What can proceed in
// the end is found by going backwards from what needs nothing; the rest is stuck, and the circles
// in it are why. So a lock that is merely busy is never stuck: its owner runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

struct WaitNode {
  enum class Kind : uint8_t {
    kThread,
    kTask,
    kMonitor,
    kLock,
    kReaderWriter,
    kSemaphore,
    kMutex,
    kContext,
    kPool,
  };
  enum class Needs : uint8_t { kNothing, kAll, kAny };

  Kind kind = Kind::kThread;
  Needs needs = Needs::kNothing;
  // Its edges need not be all: something that is not here may bring it on too.
  bool may_be_helped = false;
  // Nobody was found who could bring it on, and it looks as if somebody should have been.
  bool is_abandoned = false;
  uint32_t thread = 0;          // kThread: index of the builder's threads
  ObjectId object = kNoObject;  // of all others, where it is known
  uint64_t lock = 0;            // the runtime's id, where no object is known
};

enum class Proof : uint8_t { kPossible, kLikely, kCertain };

// What says so; the report has a sentence for each.
enum class WaitReason : uint8_t {
  kRuntimeMonitor,  // the runtime's own part of the stack names the monitor
  kNearestObject,   // the innermost object of the type that the blocking frames imply
  kWaitEvent,       // the task's list of continuations has the event that the thread sleeps on
  kJoin,
  kLockWait,         // a contention event that has not ended
  kOwnerInHeader,    // the object's header or sync block names the owner
  kOwnerField,       // a field of the lock names the owner
  kOwnerInEvent,     // a contention event named the owner
  kReaderCount,      // the thread's own count of read locks
  kAwaiter,          // the async method's awaiter
  kContinuation,     // the list of continuations
  kRunsHere,         // the thread runs the task
  kNeedsContext,     // it has to go on in a SynchronizationContext
  kQueuedInContext,  // likewise, and stands in its queue already
  kServesContext,    // the thread whose context it is
  kNeedsPool,
  kPoolWorker,
  kSemaphore,   // the semaphore's queue has it
  kCallRuns,    // the call between grains whose answer it awaits
  kCallQueued,  // likewise; the call's turn comes after that of another one
  kMayHold,     // it has passed the wait for this semaphore, or refers to it
};

struct WaitEdge {
  uint32_t from = 0, to = 0;
  Proof proof = Proof::kCertain;
  WaitReason reason = WaitReason::kRuntimeMonitor;
};

// What stands in the way of others: nodes that wait for each other, or one that nothing brings on.
struct WaitCore {
  std::vector<uint32_t> nodes;  // a circle as far as there is one: each waits for the next
  bool is_circle = true;
  Proof proof = Proof::kCertain;  // the weakest of its edges
};

class WaitGraph {
 public:
  uint32_t Add(WaitNode node) {
    nodes_.push_back(node);
    return static_cast<uint32_t>(nodes_.size() - 1);
  }
  void Connect(WaitEdge edge) { edges_.push_back(edge); }
  void Finish();  // after the last Connect, before any question

  std::span<const WaitNode> nodes() const { return nodes_; }
  WaitNode& node(uint32_t index) { return nodes_[index]; }
  const WaitNode& node(uint32_t index) const { return nodes_[index]; }
  std::span<const WaitEdge> edges() const { return edges_; }  // by from
  std::span<const WaitEdge> EdgesOf(uint32_t node) const {
    return std::span(edges_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }

  // Edges that lead to `node`.
  std::vector<WaitEdge> WaitersOf(uint32_t node) const;

  // By node. `strictly`: what may be helped can proceed. Otherwise it does only through its edges,
  // and what is abandoned does not. Linear.
  std::vector<bool> Stuck(bool strictly) const;

  // Of the stuck nodes those that are the cause. Linear but for the circles' lengths.
  std::vector<WaitCore> Cores(const std::vector<bool>& stuck) const;

  // Stuck nodes that wait for one of `core`, directly or not, without those themselves.
  std::vector<uint32_t> Behind(const WaitCore& core, const std::vector<bool>& stuck) const;

 private:
  WaitCore MakeCore(std::vector<uint32_t> nodes, const std::vector<bool>& stuck) const;

  std::vector<WaitNode> nodes_;
  std::vector<WaitEdge> edges_;
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> waiters_;  // edges, by to
  std::vector<uint32_t> waiters_begin_;
};

}  // namespace hindsight::analyzer
