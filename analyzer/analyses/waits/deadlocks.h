// Deadlocks: threads and tasks that wait for each other, with evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/waits/deadlock_rules.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/analyses/waits/wait_model.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Describes what is waited for or held.
inline constexpr std::string_view kClassConstructor = "class constructor";

struct WaitTarget {
  std::string kind;      // "monitor", "lock", "reader-writer lock", "semaphore", "mutex", "task",
                         // "event", "thread", "pool", "context", kClassConstructor
  std::string type;      // Shop.Account; for an async method's task Shop.Cart.AddAsync; for a class
                         // constructor, its class
  std::string field;     // that holds it, if that says more than the type: see lock_names.h
  uint64_t address = 0;  // of the object; 0: unknown
  uint64_t lock = 0;     // the runtime's id, if the object is unknown

  const std::string& name() const { return field.empty() ? type : field; }
};

struct DeadlockMember {
  std::optional<uint32_t> thread;  // index into WaitModel::threads
  std::optional<uint32_t> os_id;
  std::string name;       // of the thread
  uint32_t task = 0;      // Task.Id; 0: no task, or it has none
  std::string task_type;  // Shop.Cart.AddAsync
  WaitTarget waits_for;
  std::vector<WaitTarget> holds;
  std::optional<int64_t> since_ns;  // from the recording's start
  std::string taken_at;             // where it took what it holds; empty: unknown
  std::vector<std::string> stack;   // innermost first; for a task, the async methods that await it
  std::string site;  // the place in the stack (places.h); empty: it is the stack itself
};

struct DeadlockVictims {  // that wait at the same place for the same target
  uint64_t count = 0;
  WaitTarget waits_for;
  std::string at;  // method
};

// Something that waits in a deadlock, or is waited for.
struct DeadlockNode {
  WaitTarget target;
  std::optional<size_t> member;  // index into Deadlock::members
};

// From what waits to what has to proceed first: from a waiter to the lock, from the lock to its
// owner.
struct DeadlockEdge {
  size_t from = 0, to = 0;  // indexes of nodes
  Proof proof = Proof::kCertain;
  WaitReason reason = WaitReason::kRuntimeMonitor;
};

inline constexpr std::string_view kTimesOut =
    "A wait in Monitor.TryEnter has a timeout: the deadlock ends with it, and may come again.";

struct Deadlock {
  std::string kind;  // "lock cycle", "sync over async", "task cycle", "semaphore cycle",
                     // "mixed cycle", "never released", "never completed"
  Proof proof = Proof::kCertain;
  bool times_out = false;               // it ends with the timeout of a wait: see kTimesOut
  std::vector<DeadlockMember> members;  // each waits for the next
  // The whole circle, as far as there is one, in the order of waiting; without a circle, the cause.
  std::vector<DeadlockNode> nodes;
  std::vector<DeadlockEdge> edges;  // between them
  WaitTarget cause;                 // if there are no members
  uint64_t victims = 0;  // threads, and async methods that none of these threads waits for
  std::vector<DeadlockVictims> crowd;    // most first
  std::vector<uint32_t> victim_threads;  // OS ids of those that are threads
  std::vector<std::string> evidence;     // sentences
};

struct DeadlockReport {
  std::vector<Deadlock> deadlocks;  // most certain first, then those with most victims
  WaitModel::Counts looked_at;
  std::vector<std::string> notes;  // sentences
};

// From a heap snapshot. `events`: the events of the same process, if available, which show since
// when threads have been waiting.
DeadlockReport FindDeadlocks(const HeapWaits& heap, const Model* events = nullptr);

// From events alone: unfinished waits for locks. Objects and tasks are unknown.
DeadlockReport FindDeadlocks(const Model& events, const DeadlockRules& rules = {});

}  // namespace hindsight::analyzer
