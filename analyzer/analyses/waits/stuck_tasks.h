// Unfinished async work: chains of async methods, grouped by their place and what they await, and
// tasks that no async method awaits.
//
// The place of a chain is its innermost async method of yours (module_owners.h) or, if there is
// none, of others: its callers do not matter, nor does which of the framework's methods it awaits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/analyses/waits/ended_services.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/analyses/waits/host_shutdown.h"
#include "analyzer/analyses/waits/lost_requests.h"
#include "analyzer/analyses/waits/orphaned_waits.h"
#include "analyzer/analyses/waits/task_awaits.h"

namespace hindsight::analyzer {

struct TaskGroup {
  // What the innermost methods await.
  enum class Awaits : uint8_t {
    kPromise,  // that has not been completed
    kTimer,
    kSemaphore,
    kTasks,     // Task.WhenAll, Task.WhenAny, ... that someone has to complete
    kDelegate,  // Task.Run
    kSource,    // another awaitable object: I/O, a channel; or tasks that end with that, with a
                // timer, or by themselves
    kNothing,   // what it awaited has completed: it runs, or its continuation waits for a thread
    kUnknown,
  };
  Awaits kind = Awaits::kUnknown;
  // kSource: it belongs to a library, and may be a call that has to be answered. Those of the
  // framework are I/O, channels and timers, for which programs wait all their lives.
  bool is_library_source = false;
  std::string awaits;        // as text
  bool awaits_lock = false;  // kSemaphore: it lets in one at a time, and nobody now
  bool is_closed = false;    // kSemaphore: it lets nobody in now
  bool is_full = false;      // kSource: they write to a channel that has no room
  bool is_due = false;       // kNothing: their continuations are to run
  uint64_t count = 0;
  uint64_t requests = 0;  // part of count that a server awaits in order to answer a request
  std::optional<uint32_t> oldest;  // the smallest Task.Id, if any has one
  std::string place;               // an async method; empty: tasks that no async method awaits
  bool is_yours = false;           // the place is
  std::vector<std::string> stack;  // of most of them: async methods, innermost first
  uint64_t stacks = 0;             // number of different ones
  uint64_t of_stack = 0;           // how many have `stack`
  bool is_stack_cut = false;
  std::string holder;            // what holds the object that they await, as a path; empty: unknown
  ObjectId example = kNoObject;  // the innermost async method of one of them
  uint64_t unchanged = 0;        // that were at the same await in the previous snapshot
  // Of those that were at the same innermost await in the previous snapshot, whatever their
  // callers, how many have moved on since.
  uint64_t moved = 0;
  // Part of `moved`: they may stand there still, because a collection may have moved their objects.
  uint64_t lost_sight = 0;
  uint64_t blocked_threads = 0;  // on the outermost method, or on the task
  bool is_of_shutdown = false;   // the host awaits it in order to stop

  bool AwaitsChannel() const { return awaits.starts_with("System.Threading.Channels."); }
  // A message of the client, who decides when it comes.
  bool AwaitsWebSocket() const {
    return awaits.find("System.Net.WebSockets.") != std::string::npos;
  }
};

struct TaskReport {
  std::vector<TaskGroup> groups;  // the oldest first, then the largest
  uint64_t tasks = 0;             // alive, including finished ones
  uint64_t unfinished = 0;
  uint64_t unknown = 0;  // without a recorded state and nothing that awaits them
  uint64_t chains = 0;
  // The snapshot with which this one was compared; 0: none.
  uint32_t before = 0;
  uint64_t between_ns = 0;
  uint32_t moved_since = 0;  // instead: the snapshot since which a collection has moved all objects
  // Null: the host is not being stopped, or there is none.
  std::optional<HostShutdown> shutdown;
  std::vector<EndedService> ended_services;  // none if the host is being stopped
  std::vector<OrphanedWait> orphaned;        // among the above
  std::vector<LostRequests> lost;            // not among all of the above
  std::vector<std::string> notes;            // sentences
};

// `before` is nullptr if there is no earlier snapshot. For `dominators`, see FindOrphanedWaits.
TaskReport FindTasks(const HeapWaits& heap, const SlotNames& names, const TaskAwaits* before,
                     std::span<const ObjectId> dominators = {});

}  // namespace hindsight::analyzer
