#include "analyzer/analyses/waits/task_blockers.h"

#include <algorithm>
#include <functional>

namespace hindsight::analyzer {
namespace {

// The only one of `blockers` that `method` calls; null: none, or several.
TaskBlocker* OnlyCalleeOf(MethodId method, std::vector<TaskBlocker>& blockers) {
  TaskBlocker* only = nullptr;
  for (TaskBlocker& blocker : blockers) {
    const std::vector<MethodId>& path = blocker.place->path;
    const auto site = std::ranges::find(path, blocker.place->site);
    if (std::find(site, path.end(), method) == path.end()) continue;
    if (only != nullptr) return nullptr;
    only = &blocker;
  }
  return only;
}

// The only method of yours in which workers block on tasks, according to a thread snapshot, and
// that `method` calls; 0: none, or several.
MethodId OnlySeenBelow(MethodId method, const PoolReport& pool, FrameKinds& kinds) {
  MethodId only = 0;
  for (const BlockingSite& blocking : pool.blocking) {
    const std::vector<MethodId>& path = blocking.path;
    const auto site = std::ranges::find(path, blocking.site);
    if (!kinds.IsYours(blocking.site) || std::find(site, path.end(), method) == path.end()) {
      continue;
    }
    if (only != 0 && only != blocking.site) return 0;
    only = blocking.site;
  }
  return only;
}

void AddInlined(const WaitPlace& place, TaskBlocker& blocker) {
  blocker.count += place.count();
  blocker.total_ns += place.total_ns();
  blocker.longest_ns = std::max(blocker.longest_ns, place.longest_ns());
  blocker.inlined += place.count();
  blocker.inlined_into = place.site;
}

}  // namespace

TaskBlocker::TaskBlocker(const WaitPlace& at)
    : place(&at), count(at.count()), total_ns(at.total_ns()), longest_ns(at.longest_ns()) {}

bool TaskBlocker::IsOneAtATime(const Model& model) const {
  if (inlined > 0 || place->open.size() > 1) return false;
  const auto is_here = [this](StackId stack) {
    return std::ranges::find(place->variants, stack, &WaitVariant::stack) != place->variants.end();
  };
  int64_t end_ns = 0;
  bool is_seen = false;
  for (const WaitRow& row : model.waits.rows) {  // ordered by time
    if (!is_here(row.stack)) continue;
    if (is_seen && row.at_ns < end_ns) return false;
    end_ns = row.at_ns + static_cast<int64_t>(row.duration_ns);
    is_seen = true;
  }
  return is_seen;
}

std::vector<TaskBlocker> TaskBlockersOf(const LockReport& report, const PoolReport& pool,
                                        FrameKinds& kinds) {
  const BlockingCalls calls(report.model->dictionaries);
  std::vector<TaskBlocker> blockers;
  std::vector<const WaitPlace*> in_framework;
  std::vector<TaskBlocker> alone;
  for (const WaitPlace& place : report.signals) {
    if (!place.is_for_task() || !calls.IsOnPoolWorker(place.path)) continue;
    if (kinds.IsYours(place.site)) {
      blockers.emplace_back(place);
    } else if (kinds.Of(place.site) == FrameKind::kFramework) {
      in_framework.push_back(&place);
    } else if (kinds.Of(place.site) == FrameKind::kPackage) {
      alone.emplace_back(place).is_of_package = true;
    }
  }
  for (const WaitPlace* place : in_framework) {
    if (TaskBlocker* const same = OnlyCalleeOf(place->site, blockers)) {
      AddInlined(*place, *same);
      continue;
    }
    const MethodId seen = OnlySeenBelow(place->site, pool, kinds);
    const auto same = std::ranges::find_if(
        alone, [seen](const TaskBlocker& other) { return seen != 0 && other.seen == seen; });
    if (same != alone.end()) {
      AddInlined(*place, *same);
      continue;
    }
    TaskBlocker& blocker = alone.emplace_back(*place);
    blocker.inlined = blocker.count;
    blocker.inlined_into = place->site;
    blocker.seen = seen;
  }
  blockers.insert(blockers.end(), alone.begin(), alone.end());
  std::ranges::stable_sort(blockers, std::greater(), &TaskBlocker::total_ns);
  return blockers;
}

}  // namespace hindsight::analyzer
