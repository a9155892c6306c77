// What waits for what: threads, tasks, locks, contexts and the pool are nodes; an edge leads from
// what waits to what has to proceed first.
//
// A node can proceed when all, or any, of the nodes to which its edges lead proceed. What can
// eventually proceed is found by going backwards from nodes that need nothing; the rest is stuck,
// and the circles in it are the reason. So a lock that is merely busy is never stuck, because its
// owner runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/model/dictionaries.h"
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
    kInitializer,  // a class constructor that runs
    kContext,
    kPool,
  };
  enum class Needs : uint8_t { kNothing, kAll, kAny };

  Kind kind = Kind::kThread;
  Needs needs = Needs::kNothing;
  // Its edges need not be complete: something that is not in the graph may also make it proceed.
  bool may_be_helped = false;
  // Nothing was found that could make it proceed, although it seems that something should have
  // been.
  bool is_abandoned = false;
  uint32_t thread = 0;          // kThread: index into the builder's threads
  ObjectId object = kNoObject;  // for all others, if known
  uint64_t lock = 0;            // the runtime's id, if the object is unknown
  MethodId initializer = 0;     // kInitializer
};

// Locks, and what else a thread owns that others wait for.
inline bool HasOwner(WaitNode::Kind kind) {
  using Kind = WaitNode::Kind;
  return kind == Kind::kMonitor || kind == Kind::kLock || kind == Kind::kReaderWriter ||
         kind == Kind::kMutex || kind == Kind::kInitializer;
}

enum class Proof : uint8_t { kPossible, kLikely, kCertain };

// What proves an edge; the report has a sentence for each.
enum class WaitReason : uint8_t {
  kRuntimeMonitor,  // the runtime's own part of the stack shows the monitor
  kNearestObject,   // the innermost object of the type that the blocking frames imply
  kWaitEvent,  // the task's list of continuations contains the event on which the thread sleeps
  kJoin,
  kCallback,         // it waits for a callback of a CancellationToken to end
  kLockWait,         // an unfinished contention event
  kOwnerInHeader,    // the object's header or sync block names the owner
  kOwnerField,       // a field of the lock names the owner
  kOwnerInEvent,     // a contention event named the owner
  kReaderCount,      // the thread's own count of read locks
  kAwaiter,          // the async method's awaiter
  kContinuation,     // the list of continuations
  kRunsHere,         // the thread is running the task
  kNeedsContext,     // it has to continue in a SynchronizationContext
  kQueuedInContext,  // likewise, and is already in its queue
  kServesContext,    // the thread to which the context belongs
  kNeedsPool,
  kPoolWorker,
  kSemaphore,        // it is in the semaphore's queue
  kCallRuns,         // it runs the call between grains whose answer is awaited
  kCallQueued,       // likewise, but the call has to wait until another one has ended
  kMayHold,          // it has passed the wait for this semaphore, or refers to it
  kNeedsClass,       // it initializes a class, and these are the class constructors that run
  kRunsInitializer,  // the class constructor is on its stack
};

struct WaitEdge {
  uint32_t from = 0, to = 0;
  Proof proof = Proof::kCertain;
  WaitReason reason = WaitReason::kRuntimeMonitor;
};

// What blocks others: nodes that wait for each other, or one that nothing makes proceed.
struct WaitCore {
  std::vector<uint32_t> nodes;  // a circle, if there is one: each waits for the next
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
  void Finish();  // after the last Connect, before any query

  std::span<const WaitNode> nodes() const { return nodes_; }
  WaitNode& node(uint32_t index) { return nodes_[index]; }
  const WaitNode& node(uint32_t index) const { return nodes_[index]; }
  std::span<const WaitEdge> edges() const { return edges_; }  // ordered by from
  std::span<const WaitEdge> EdgesOf(uint32_t node) const {
    return std::span(edges_).subspan(begin_[node], begin_[node + 1] - begin_[node]);
  }

  // Edges that lead to `node`.
  std::vector<WaitEdge> WaitersOf(uint32_t node) const;

  // Indexed by node. `strictly`: nodes that may be helped can proceed. Otherwise, they only proceed
  // through their edges, and abandoned nodes do not proceed. Linear.
  std::vector<bool> Stuck(bool strictly) const;

  // The stuck nodes that are the cause. Linear, except for the lengths of circles.
  std::vector<WaitCore> Cores(const std::vector<bool>& stuck) const;

  // The shortest circle through `node` within the core, along the first edges of several; the core
  // itself if there is none. Linear.
  WaitCore ShortestCircle(const WaitCore& core, uint32_t node) const;

  // Stuck nodes outside `core` that wait for one of its nodes, directly or indirectly.
  std::vector<uint32_t> Behind(const WaitCore& core, const std::vector<bool>& stuck) const;

 private:
  WaitCore MakeCore(std::vector<uint32_t> nodes, const std::vector<bool>& stuck) const;

  std::vector<WaitNode> nodes_;
  std::vector<WaitEdge> edges_;
  std::vector<uint32_t> begin_;
  std::vector<uint32_t> waiters_;  // edges, ordered by to
  std::vector<uint32_t> waiters_begin_;
};

}  // namespace hindsight::analyzer
