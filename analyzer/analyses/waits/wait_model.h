// A wait graph with its threads, from a heap snapshot or from events.
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
    std::optional<int64_t> since_ns;  // from the recording's start: waiting since then
  };

  // What was examined.
  struct Counts {
    uint64_t threads = 0;
    uint64_t blocked_threads = 0;
    uint64_t threads_without_stack = 0;
    uint64_t locks = 0;             // held or waited for
    uint64_t unknown_owners = 0;    // waited for, but the owner is unknown
    bool monitors_unknown = false;  // a heap snapshot that does not contain all of them
    uint64_t tasks = 0;
    uint64_t unfinished_tasks = 0;
    uint64_t unknown_tasks = 0;  // may be unfinished: see TaskGraph::unknown_count
    uint64_t contexts = 0;
    // Without a heap: thread snapshots that show what threads wait for, and threads in the last one
    // that wait for an unknown lock or task.
    uint64_t looks = 0;
    uint64_t unjudged_threads = 0;

    uint64_t waiting_threads() const { return blocked_threads + unjudged_threads; }
  };

  WaitGraph graph;  // nodes [0, threads.size()) are the threads
  std::vector<Thread> threads;
  Counts counts;
  std::vector<std::string> notes;  // sentences: what could not be determined
};

}  // namespace hindsight::analyzer
