// Whose work the pool's tasks are, by what their delegates were made on: a heap snapshot knows
// that, also where the JIT compiler has put the work into the framework's methods, so that no stack
// names it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

struct PoolWork {
  std::string owner;  // a class of yours: Shop.Newsletter
  uint64_t running = 0, queued = 0;
  uint64_t all = 0;  // tasks of delegates that run or are queued, whosever
};

// The class of yours that most of them belong to; nothing: no class of yours does.
std::optional<PoolWork> MostWork(const HeapReports& heap);

}  // namespace hindsight::analyzer
