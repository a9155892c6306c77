#include "analyzer/analyses/waits/awaited_ends.h"

#include <algorithm>

namespace hindsight::analyzer {

bool AwaitedEnds::ByItself(ObjectId awaited, int depth) {
  const UnfinishedTask* task = tasks_.Find(awaited);
  if (task == nullptr) return true;
  if (depth == kMostLinks) return false;
  const auto [known, is_new] = known_.try_emplace(awaited, false);
  if (!is_new) return known->second;  // false if it waits for itself
  const bool by_itself = ByItsLinks(*task, depth + 1);
  return known_[awaited] = by_itself;
}

bool AwaitedEnds::ByItsLinks(const UnfinishedTask& task, int depth) {
  using Stage = UnfinishedTask::Stage;
  switch (task.type) {
    case RuntimeType::kDelay:
    case RuntimeType::kSourceTask:
      return true;
    case RuntimeType::kSemaphoreWait:
      return false;
    case RuntimeType::kWhenAny:
    case RuntimeType::kWhenAll:
    case RuntimeType::kWaitAsync:
    case RuntimeType::kUnwrap:
    case RuntimeType::kContinuationTask: {
      const auto links = tasks_.AntecedentsOf(task.object);
      const auto by_itself = [&](const Continuation& link) { return ByItself(link.from, depth); };
      if (task.type == RuntimeType::kWhenAny) return std::ranges::any_of(links, by_itself);
      return !links.empty() && std::ranges::all_of(links, by_itself);
    }
    default:
      break;
  }
  if (IsAsyncMethod(task.type)) {
    // What is not known may well proceed.
    if (task.awaited == kNoObject) return task.stage != Stage::kSuspended;
    return task.awaited_is_done || ByItself(task.awaited, depth);
  }
  return task.stage == Stage::kRunning || task.stage == Stage::kQueued ||
         task.stage == Stage::kUnknown;
}

}  // namespace hindsight::analyzer
