// Thread pool starvation: work items are queued, none completes, and the workers are blocked.
//
// A pool that is merely busy is not a finding: its queue may be long while work items complete, or
// each item may take long while the workers run. So starvation means that no item completed for a
// while, or that items waited for seconds, and that workers were seen blocked, most of them in one
// place. If they block in many places, no item must have completed for longer. Workers that wait
// for a lock wait for its owner. If threads had no processor (processor_wait.h), the machine is
// short of them.
//
// A worker that spins until a task is done counts as blocked: it does no work.
//
// The runtime detects starvation itself. A pool that it found starving is never called healthy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/processor_wait.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Pool workers that block in one kind of call at one place (places.h).
struct BlockingSite {
  uint64_t count = 0;  // workers
  BlockingCall::Kind call = BlockingCall::Kind::kNone;
  std::vector<MethodId> path;  // of most of them, innermost first
  MethodId site = 0;           // the method that blocks, from a programmer's view
};

// Workers that were seen blocking in a method of yours, over all thread snapshots.
struct WorkerBlocker {
  MethodId site = 0;
  BlockingCall::Kind call = BlockingCall::Kind::kNone;  // kTask also for kTasks
  uint64_t looks = 0;                                   // snapshots that show at least one
  uint64_t workers = 0;                                 // in all of them together
  uint64_t most_in_timers = 0;                          // in callbacks of timers, in one snapshot
  // The innermost method of a package on the way from `site` to the wait, in the last snapshot; 0:
  // there is none.
  MethodId through = 0;
};

struct PoolRules {
  // If no work item completes for this long, it is more than one long item. The pool itself checks
  // every half second.
  uint64_t stall_ns = 1'000'000'000;
  // More than a passing moment: the time for which no item was taken, how often the pool found
  // itself starving, and how often it added a worker because one blocked on a task; in total and
  // per minute.
  uint64_t long_stall_ns = 3'000'000'000;
  uint64_t many_starvations = 3;
  double many_starvations_per_minute = 1;
  // Without figures of the pool, this many starvations mean that no item completed.
  uint64_t some_starvations = 2;
  uint64_t many_blocked = 100;
  uint64_t some_blocked = 20;  // workers added because of that, to be reported
  double many_blocked_per_minute = 10;
  // The mean time for which an item waits for a worker: the mean length of the queue divided by the
  // items completed per second (Little's law). Needs at least `long_wait_pieces` completed items.
  uint64_t long_wait_ns = 1'000'000'000;
  uint64_t long_wait_pieces = 50;
  // This long is too long if the reason is known: at least `blocked_share` of the busy workers
  // block in several thread snapshots.
  uint64_t blocked_wait_ns = 100'000'000;
  // Share of the busy workers that are blocked; and share of these that are in one place.
  double blocked_share = 0.5;
  // If as many are blocked, the pool is not called healthy: it had to add workers for others.
  uint64_t occupied_workers = 4;
};

struct PoolReport {
  explicit PoolReport(const Model& model) : model(&model), names(model.dictionaries) {}

  // kStrained: items did not wait for long, but the runtime says that it is short of workers; or no
  // item completed while the workers computed, or waited for processors.
  enum class Verdict : uint8_t { kHealthy, kStarved, kStrained, kUnknown };

  const Model* model;  // must outlive the report
  MethodNames names;
  Verdict verdict = Verdict::kUnknown;
  bool strained_by_tasks = false;  // kStrained: workers block on tasks, one after the other
  bool blocks_on_tasks = false;    // they do so repeatedly, but not all the time
  // kStrained: the runtime found it starving repeatedly, and most workers were seen blocked.
  bool strained_by_blocking = false;

  // Time for which items waited and none completed.
  uint64_t stalled_ns = 0, longest_stall_ns = 0;
  int64_t longest_stall_at_ns = 0;
  uint64_t longest_queue = 0;
  uint64_t mean_wait_ns = 0;   // of a work item, for a worker; 0: unknown
  bool stood_still = false;    // none completed for as long as starvation requires
  bool waits_long = false;     // mean_wait_ns is long enough for starvation
  bool waits_blocked = false;  // it is too long, because most workers block
  uint32_t fewest_workers = 0, most_workers = 0;  // alive at the same time
  uint64_t completed = 0;                         // during the recording
  int64_t sampled_ns = 0;                         // between the first sample and the last
  uint64_t starvations = 0, cooperative = 0;      // decisions of the pool to add workers
  ProcessorWait processors;

  // Where the workers were: in the snapshot that shows most of them blocked, or else busy; without
  // a snapshot, in waits that had not ended.
  bool has_thread_stacks = false;
  bool from_snapshot = false;
  int64_t seen_at_ns = 0;
  uint64_t busy = 0;                   // workers with a work item
  uint64_t blocked = 0;                // of the busy ones
  bool are_blocked = false;            // most of them
  bool is_occupied = false;            // most of them, and several: PoolRules::occupied_workers
  std::vector<BlockingSite> blocking;  // most first
  // If the first of `blocking` is a framework method into which yours was inlined: your method in
  // which most workers blocked, in the same kind of call, in another snapshot. 0: none.
  MethodId seen_in = 0;
  std::vector<WorkerBlocker> blockers;  // most workers first
  uint64_t blocked_in_all = 0;          // likewise
  uint64_t busy_in_all = 0;             // busy workers in all snapshots together

  // "3.31 s"; "more than 20.13 s" if it would be longer than was seen: the last ones still wait.
  std::string MeanWaitText() const;
};

PoolReport AnalyzePool(const Model& model, const PoolRules& rules = {});

}  // namespace hindsight::analyzer
