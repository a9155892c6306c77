// A wait graph with its threads, whether it comes from a heap snapshot or from events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/wait_graph.h"
#include "analyzer/model/dictionaries.h"
#include "analyzer/model/heap_types.h"

namespace hindsight::analyzer {

struct WaitModel {
  struct Thread {
    uint32_t os_id = 0;
    uint32_t managed_id = 0;
    StringId name = 0;
    StackId stack = 0;
    std::vector<MethodId> path;  // innermost first
    BlockingCall call;
    ObjectId object = kNoObject;   // its Thread object
    ObjectId context = kNoObject;  // its SynchronizationContext
    bool is_pool_worker = false;
    std::optional<int64_t> since_ns;  // from the recording's start: so long it waits
  };

  // What was looked at.
  struct Counts {
    uint64_t threads = 0;
    uint64_t blocked_threads = 0;
    uint64_t threads_without_stack = 0;
    uint64_t locks = 0;             // held or waited for
    uint64_t unknown_owners = 0;    // waited for, and the owner is unknown
    bool monitors_unknown = false;  // a heap snapshot that does not show all of them
    uint64_t tasks = 0;
    uint64_t unfinished_tasks = 0;
    uint64_t contexts = 0;
    // Without a heap: snapshots of threads that show who waits, and threads in the last of them
    // that wait for a lock or a task, it is unknown which.
    uint64_t looks = 0;
    uint64_t unjudged_threads = 0;
  };

  WaitGraph graph;  // nodes [0, threads.size()) are the threads
  std::vector<Thread> threads;
  Counts counts;
  std::vector<std::string> notes;  // sentences: what could not be known
};

}  // namespace hindsight::analyzer
