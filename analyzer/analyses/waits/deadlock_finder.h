// The parts of FindDeadlocks that are the same for graphs from heaps and from events.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/wait_graph.h"
#include "analyzer/analyses/waits/wait_model.h"

namespace hindsight::analyzer {

struct WaitSource {
  const WaitModel* waits = nullptr;
  const Dictionaries* dictionaries = nullptr;
  const BlockingCalls* calls = nullptr;
  // Describes a node that is not a thread.
  std::function<WaitTarget(uint32_t node)> describe;
  // Whether a wait is merely a link: a task that waits for other tasks or for a semaphore.
  std::function<bool(uint32_t node)> is_link;
  // Async methods that await the task, innermost first; and the first of these that is yours, or
  // otherwise the innermost.
  std::function<std::vector<std::string>(uint32_t node)> async_stack;
  std::function<std::string(uint32_t node)> async_site;
  std::function<uint32_t(uint32_t node)> task_id;
  // Whether it is an async method that awaits something other than an async method.
  std::function<bool(uint32_t node)> is_activity;
  // Where the thread took the lock; empty: unknown.
  std::function<std::string(const WaitModel::Thread& thread, uint32_t node)> taken_at;
  std::shared_ptr<Places> places;  // for the same dictionaries
};

// Refers to `heap`, which must outlive it.
WaitSource SourceOf(const HeapWaits& heap);

DeadlockReport FindDeadlocks(const WaitSource& source);

// Describes a node.
WaitTarget TargetOf(const WaitSource& source, uint32_t node);
// A thread, without what it waits for and holds; `thread` is an index into WaitModel::threads.
DeadlockMember MemberOf(const WaitSource& source, uint32_t thread);

// Whether one of the waits in this circle has a timeout, with which the circle ends.
bool TimesOut(const WaitSource& source, const WaitCore& core);
// Sentences for the edges of a core.
std::vector<std::string> EvidenceOf(const WaitSource& source, const WaitCore& core, bool times_out);

}  // namespace hindsight::analyzer
