// Thread pool starvation: work is queued, none completes, and the workers are blocked.
//
// A pool that is only busy is no finding: its queue may be long, but work gets done; or each piece
// takes long, but the workers run. So starvation is work that stood still, or waited for seconds,
// and workers that were seen to block, most of them in one place; where they block in many places,
// work has to stand still for longer. Those that wait for a lock wait for its owner: where threads
// had no processor (processor_wait.h), it is the machine that is short of something.
//
// A worker that spins until a task is done is blocked as well: it does no work.
//
// The runtime looks for starvation itself. A pool that it found starving is never called healthy.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/processor_wait.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

// Workers of the pool that block in one kind of call in one place (places.h).
struct BlockingSite {
  uint64_t count = 0;  // workers
  BlockingCall::Kind call = BlockingCall::Kind::kNone;
  std::vector<MethodId> path;  // of most of them, innermost first
  MethodId site = 0;           // the method that blocks, to a programmer
};

// Workers seen to block until a task is done, in a method of yours, over all thread snapshots.
struct TaskBlocker {
  MethodId site = 0;
  uint64_t looks = 0;    // that show any
  uint64_t workers = 0;  // in all of them together
};

struct PoolRules {
  // Work that stands still for so long is more than one long piece; the pool itself looks every
  // half second.
  uint64_t stall_ns = 1'000'000'000;
  // What is no passing moment: work that nobody took, times that the pool found itself starving,
  // and times that it added a worker because one blocked on a task, in all and per minute.
  uint64_t long_stall_ns = 3'000'000'000;
  uint64_t many_starvations = 3;
  double many_starvations_per_minute = 1;
  // Where there are no figures of the pool, so many starvations mean that work stood still.
  uint64_t some_starvations = 2;
  uint64_t many_blocked = 100;
  uint64_t some_blocked = 20;  // of the latter: worth telling
  double many_blocked_per_minute = 10;
  // That a piece waits for a worker on average: the mean length of the queue by what was completed
  // in a second (Little's law). Fewer completed pieces make no average.
  uint64_t long_wait_ns = 1'000'000'000;
  uint64_t long_wait_pieces = 50;
  // Of the workers with work, those seen to block; and of these, those in one place.
  double blocked_share = 0.5;
};

struct PoolReport {
  explicit PoolReport(const Model& model) : model(&model), names(model.dictionaries) {}

  // kStrained: it did not stand still for long, but the runtime says that it is short of workers,
  // or work stood still while the workers computed, or waited for processors.
  enum class Verdict : uint8_t { kHealthy, kStarved, kStrained, kUnknown };

  const Model* model;  // outlives the report
  MethodNames names;
  Verdict verdict = Verdict::kUnknown;
  bool strained_by_tasks = false;  // kStrained: workers block on tasks, one after the other
  bool blocks_on_tasks = false;    // they do so again and again, if only sometimes
  // kStrained: the runtime found it starving again and again, and most workers were seen to block.
  bool strained_by_blocking = false;

  // Work waited, and none was completed.
  uint64_t stalled_ns = 0, longest_stall_ns = 0;
  int64_t longest_stall_at_ns = 0;
  uint64_t longest_queue = 0;
  uint64_t mean_wait_ns = 0;                      // of a work item, for a worker; 0: unknown
  bool stood_still = false;                       // for long enough to be starvation
  bool waits_long = false;                        // mean_wait_ns is what starvation makes
  uint32_t fewest_workers = 0, most_workers = 0;  // that lived
  uint64_t completed = 0;                         // during the recording
  int64_t sampled_ns = 0;                         // between the first sample and the last
  uint64_t starvations = 0, cooperative = 0;      // decisions of the pool to add workers
  ProcessorWait processors;

  // Where the workers stood: in the snapshot that shows most of them blocked, or at work; or,
  // without one, in waits that had not ended.
  bool has_thread_stacks = false;
  bool from_snapshot = false;
  int64_t seen_at_ns = 0;
  uint64_t busy = 0;                   // workers with a work item
  uint64_t blocked = 0;                // of these
  bool are_blocked = false;            // most of them
  std::vector<BlockingSite> blocking;  // most first
  // Where the first of `blocking` is the framework's, because your method was inlined there: yours
  // that most workers blocked in, in such a call, at another look. 0: none.
  MethodId seen_in = 0;
  std::vector<TaskBlocker> on_tasks;  // most workers first
};

PoolReport AnalyzePool(const Model& model, const PoolRules& rules = {});

}  // namespace hindsight::analyzer
