// Where the chains of async methods stand in a heap snapshot, to tell which of them make progress.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

// Where every chain of a snapshot stands, to be compared with a later one. 32 bytes per chain.
struct TaskAwaits {
  uint32_t snapshot = 0;
  uint64_t unix_ns = 0;
  // By what identifies a chain: Task.Id, or the address if it has none. After a collection, a
  // younger object may have the same address: see IsSameChain.
  struct Await {
    uint64_t method = 0;  // hash of the async method's name
    int64_t state = 0;
    uint64_t awaited = 0;  // address: the same await, and not a later one at the same place
    Generation generation = Generation::kUnknown;  // of the method's object
  };
  std::unordered_map<uint64_t, Await> by_id, by_address;
  // Generation 1 was collected between this snapshot and the one with which it is compared; false
  // if unknown.
  bool collected = false;
};

TaskAwaits AwaitsOf(const HeapWaits& heap);

// Where the innermost method of a chain stands.
TaskAwaits::Await AwaitOf(const HeapWaits& heap, const UnfinishedTask& task);

uint64_t MethodHash(const HeapWaits& heap, ObjectId box);

// Whether both are at the same await.
bool StandsAt(const TaskAwaits::Await& a, const TaskAwaits::Await& b);

// For a chain without a Task.Id that has the same address in two snapshots: whether it is the same
// chain, at the same await. Nothing gets younger, and a collection of generation 1 (`collected`)
// leaves nothing there that was in it before, so an object that is in it afterwards has replaced
// another one.
bool IsSameChain(const TaskAwaits::Await& before, const TaskAwaits::Await& now, bool collected);

}  // namespace hindsight::analyzer
