// Work that blocks workers of the thread pool until a task has completed, which itself needs a
// worker.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/analyses/waits/pool_health.h"

namespace hindsight::analyzer {

// Waits of workers at one place. The same work waits in a method of yours until the JIT compiler
// puts that into its caller, which is the framework's: these waits are one.
struct TaskBlocker {
  explicit TaskBlocker(const WaitPlace& at);

  const WaitPlace* place;  // yours, if it was seen
  uint64_t count = 0, total_ns = 0, longest_ns = 0;
  // Part of `count`: in this method of the framework.
  uint64_t inlined = 0;
  MethodId inlined_into = 0;
  bool is_of_package = false;  // it waits in a package's code, with none of yours below
  // If all are: the method of yours in which workers called by that one block in a thread snapshot.
  MethodId seen = 0;

  MethodId site() const { return seen != 0 ? seen : place->site; }
  // Whether no two of them overlapped, as far as they were recorded individually: a loop that
  // blocks, rather than calls of many.
  bool IsOneAtATime(const Model& model) const;
};

// Most time first. `report` must outlive the result.
std::vector<TaskBlocker> TaskBlockersOf(const LockReport& report, const PoolReport& pool,
                                        FrameKinds& kinds);

}  // namespace hindsight::analyzer
