// Queues for locks whose owner can proceed: not deadlocks, but notable if long.
#pragma once

#include <cstddef>
#include <vector>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

struct WaitQueue {
  // The lock, its owner, what that one waits for, and so on until one that can proceed.
  std::vector<DeadlockNode> nodes;
  std::vector<DeadlockEdge> edges;
  std::vector<DeadlockMember> members;
  uint64_t waiters = 0;                // for the first lock
  std::vector<DeadlockVictims> crowd;  // most first; for any lock among these nodes
};

struct WaitQueueRules {
  uint64_t min_waiters = 2;
  size_t queues = 5;
  size_t nodes = 8;
};

// Longest first. Each lock is in one queue only; stuck ones are in none.
std::vector<WaitQueue> FindWaitQueues(const HeapWaits& heap, const WaitQueueRules& rules = {});

// Those for a report on deadlocks: also of one waiter.
inline std::vector<WaitQueue> QueuesToShow(const HeapWaits& heap) {
  return FindWaitQueues(heap, {.min_waiters = 1});
}

}  // namespace hindsight::analyzer
