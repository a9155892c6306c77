// All analyses of one recording, each run once with default rules: the input of summary, budgets,
// page and tables.
#pragma once

#include <memory>
#include <optional>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/cpu/cpu_profile.h"
#include "analyzer/analyses/exceptions.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/analyses/references/slot_names.h"
#include "analyzer/analyses/requests.h"
#include "analyzer/analyses/threads.h"
#include "analyzer/analyses/timeline.h"
#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/model/heap_graph.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// What was recorded over time. Each report is made whether or not its source was enabled; without
// data it is empty. `model` must outlive this. Uses all processors.
struct EventReports {
  explicit EventReports(const Model& model);

  const Model& model;
  CpuProfileReport cpu;
  AllocationReport allocations;
  ExceptionReport exceptions;
  GcReport gc;
  LockReport locks;
  PoolReport pool;
  RequestReport requests;
  ThreadReport threads;
  Timeline timeline;

 private:
  struct Running;
  EventReports(const Model& model, Running running);
};

// A heap snapshot, the newest of its recording. The arguments must outlive this.
struct HeapReports {
  // `before`: of an earlier snapshot, for tasks that made no progress; may be null.
  HeapReports(const HeapModel& model, const RootPaths& paths, const Dominators& dominators,
              const TaskAwaits* before);

  const HeapModel& model;
  const RootPaths& paths;
  const Dominators& dominators;
  SlotNames names;
  DominatorTree tree;
  HeapWaits waits;
  LeakReport leaks;
  TaskReport tasks;
};

struct Reports {
  std::unique_ptr<EventReports> events;  // null: the files only contain heap snapshots
  std::unique_ptr<HeapReports> heap;     // null: there is no snapshot
  // From the snapshot, and from what happened after it.
  DeadlockReport deadlocks;
  // Whether deadlocks.looked_at and members come from the snapshot; otherwise they come from the
  // events.
  bool deadlocks_from_heap = false;
};

// Either may be null, but not both.
Reports MakeReports(std::unique_ptr<EventReports> events, std::unique_ptr<HeapReports> heap);

}  // namespace hindsight::analyzer
