#include "analyzer/analyses/waits/yielding_threads.h"

#include <vector>

namespace hindsight::analyzer {

bool YieldingThreads::IsIdleWorker(const ThreadInterval& interval) {
  return Of(interval.after).is_idle && (interval.from_begin || Of(interval.before).is_idle);
}

bool YieldingThreads::BlocksOnTask(const ThreadInterval& interval) {
  return !interval.from_begin && Of(interval.before).blocks_on_task &&
         Of(interval.after).blocks_on_task;
}

const YieldingThreads::Known& YieldingThreads::Of(const ThreadStatus& status) {
  const auto [at, is_new] = known_.try_emplace(status.stack);
  if (is_new) {
    const std::vector<MethodId> path = dictionaries_.Path(status.stack);
    at->second.is_idle = calls_.WorkerOf(path) == BlockingCalls::Worker::kIdle;
    at->second.blocks_on_task = IsForTask(calls_.Find(path).kind);
  }
  return at->second;
}

}  // namespace hindsight::analyzer
