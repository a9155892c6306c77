#include "analyzer/analyses/waits/idle_workers.h"

namespace hindsight::analyzer {

bool IdleWorkers::Has(const ThreadInterval& interval) {
  return IsIdle(interval.after) && (interval.from_begin || IsIdle(interval.before));
}

bool IdleWorkers::IsIdle(const ThreadStatus& status) {
  const auto [at, is_new] = known_.try_emplace(status.stack);
  if (is_new) {
    const BlockingCalls::Worker worker = calls_.WorkerOf(dictionaries_.Path(status.stack));
    at->second = worker == BlockingCalls::Worker::kIdle;
  }
  return at->second;
}

}  // namespace hindsight::analyzer
