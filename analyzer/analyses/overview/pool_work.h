// Who owns the work of the pool's tasks, determined by the targets of their delegates. A heap
// snapshot shows that even if the JIT has inlined the work into the framework's methods, so that no
// stack names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

struct PoolWork {
  std::string owner;  // a class of yours: Shop.Newsletter
  uint64_t running = 0, queued = 0;
  uint64_t all = 0;  // tasks with delegates that run or are queued, whoever owns them
};

// The class of yours that owns most of them; nullopt: none owns any.
std::optional<PoolWork> MostWork(const HeapReports& heap);

}  // namespace hindsight::analyzer
