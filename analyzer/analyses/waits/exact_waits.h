// Parts of a thread's life for which events show what it waited for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/analyses/waits/wall_sites.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct ExactWait {
  int64_t from_ns = 0, to_ns = 0;
  const WallSite* wall_site = nullptr;
  uint64_t lock = 0;
  ThreadIndex owner = 0;
  // A wait for a task: the thread may run meanwhile, possibly the task itself.
  bool may_run = false;
};

// For a thread that lives from `from_ns` to `to_ns`: ordered by time, without overlaps; of nested
// waits, the innermost counts. `spans` are ordered by start, `open` are the unfinished ones.
std::vector<ExactWait> ExactWaits(WallSites& wall_sites, std::span<const WaitSpan> spans,
                                  std::span<const OpenWait* const> open, int64_t from_ns,
                                  int64_t to_ns);

}  // namespace hindsight::analyzer
