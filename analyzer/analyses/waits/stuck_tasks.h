// Unfinished async work: chains of async methods, grouped by place and what they await, and tasks
// that no async method awaits.
//
// The place of a chain is its innermost async method of yours (module_owners.h), or else of
// others': who called it, and which of the framework's methods it awaits, makes no other place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

// Where every chain of a snapshot stands, to be compared with a later one. 32 bytes a chain.
struct TaskAwaits {
  uint32_t snapshot = 0;
  uint64_t unix_ns = 0;
  // By what identifies a chain: Task.Id, or the address where it has none. An address alone is used
  // again after a collection, by a younger object: see IsSameChain.
  struct Await {
    uint64_t method = 0;  // hash of the async method's name
    int64_t state = 0;
    uint64_t awaited = 0;  // address: the same await, not one that it has come back to
    Generation generation = Generation::kUnknown;  // of the method's object
  };
  std::unordered_map<uint64_t, Await> by_id, by_address;
  // Generation 1 was collected between this snapshot and the one that is compared with it; false
  // where nobody knows.
  bool collected = false;
};

TaskAwaits AwaitsOf(const HeapWaits& heap);

// Of a chain without a Task.Id, at one address in two snapshots: whether it is the same, at the
// same await. Nothing grows younger; and a collection of generation 1 (`collected`) leaves none of
// what was there in it, so that what is at the address has taken the place of another one.
bool IsSameChain(const TaskAwaits::Await& before, const TaskAwaits::Await& now, bool collected);

struct TaskGroup {
  // What its innermost methods await.
  enum class Awaits : uint8_t {
    kPromise,  // that nobody has completed
    kTimer,
    kSemaphore,
    kTasks,     // Task.WhenAll, Task.WhenAny, ... that somebody has to complete
    kDelegate,  // Task.Run
    kSource,    // something else that can be awaited: input and output, a channel; or tasks that
                // end with that, with a timer, or by themselves
    kNothing,   // what it awaited is done: it runs, or its rest waits for a thread
    kUnknown,
  };
  Awaits kind = Awaits::kUnknown;
  // kSource: of a library, which may be a call that somebody has to answer. Those of the framework
  // are input and output, channels and timers, for which programs wait all their life.
  bool is_library_source = false;
  std::string awaits;  // in words
  uint64_t count = 0;
  std::optional<uint32_t> oldest;  // the smallest Task.Id, if any has one
  std::string place;               // an async method; empty: tasks by themselves
  bool is_yours = false;           // the place
  std::vector<std::string> stack;  // of most of them: async methods, innermost first
  uint64_t stacks = 0;             // different ones
  uint64_t of_stack = 0;           // how many have `stack`
  bool is_stack_cut = false;
  std::string holder;            // who keeps what they await, as a path; empty: unknown
  ObjectId example = kNoObject;  // the innermost async method of one of them
  uint64_t unchanged = 0;        // that stood there in the previous snapshot as well
  // Of those that stood at its innermost await in the previous snapshot, wherever they were called
  // from, how many have got on since.
  uint64_t moved = 0;
  uint64_t blocked_threads = 0;  // that block until the outermost method, or the task, is done
};

struct TaskReport {
  std::vector<TaskGroup> groups;  // the oldest first, then the largest
  uint64_t tasks = 0;             // alive, finished ones too
  uint64_t unfinished = 0;
  uint64_t chains = 0;
  // Of the snapshot that this one was compared with; 0: with none.
  uint32_t before = 0;
  uint64_t between_ns = 0;
  std::vector<std::string> notes;  // sentences
};

// `before`: nullptr if there is no earlier snapshot.
TaskReport FindTasks(const HeapWaits& heap, const SlotNames& names, const TaskAwaits* before);

}  // namespace hindsight::analyzer
