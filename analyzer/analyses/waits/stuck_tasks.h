// Unfinished async work: chains of async methods, grouped by location and what they await, and
// tasks that no async method awaits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/analyses/heap/slot_names.h"
#include "analyzer/analyses/waits/heap_waits.h"

namespace hindsight::analyzer {

// Where every chain of a snapshot stands, to be compared with a later one. 32 bytes a chain.
struct TaskAwaits {
  uint32_t snapshot = 0;
  uint64_t unix_ns = 0;
  // By what identifies a chain: Task.Id, or the address where it has none.
  struct Await {
    uint64_t method = 0;  // hash of the async method's name
    int64_t state = 0;
    uint64_t awaited = 0;  // address: the same await, not one that it has come back to
    bool operator==(const Await&) const = default;
  };
  std::unordered_map<uint64_t, Await> by_id, by_address;
};

TaskAwaits AwaitsOf(const HeapWaits& heap);

struct TaskGroup {
  // What its innermost methods await.
  enum class Awaits : uint8_t {
    kPromise,  // that nobody has completed
    kTimer,
    kSemaphore,
    kTasks,     // Task.WhenAll, Task.WhenAny, ...
    kDelegate,  // Task.Run
    kSource,    // something else that can be awaited: input and output, a channel
    kNothing,   // what it awaited is done: it runs, or its rest waits for a thread
    kUnknown,
  };
  Awaits kind = Awaits::kUnknown;
  std::string awaits;  // in words
  uint64_t count = 0;
  std::optional<uint32_t> oldest;  // the smallest Task.Id, if any has one
  std::vector<std::string> stack;  // async methods, innermost first; none: tasks by themselves
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
