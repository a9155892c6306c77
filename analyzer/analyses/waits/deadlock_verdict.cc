#include "analyzer/analyses/waits/deadlock_verdict.h"

#include <algorithm>
#include <map>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

DeadlockVerdict VerdictOf(const DeadlockReport& report, bool from_heap) {
  const WaitModel::Counts& counts = report.looked_at;
  const auto open = [](std::string text) { return DeadlockVerdict{false, std::move(text)}; };
  if (from_heap ? counts.threads == 0 : counts.looks == 0) {
    return open(from_heap ? "The snapshot contains no thread stacks, so only tasks were checked."
                          : "There is no thread snapshot: only waits for monitors and locks that "
                            "began during the recording were checked, and they show no deadlock.");
  }
  if (counts.unjudged_threads > 0) {
    const uint64_t threads = counts.unjudged_threads;
    return open("No deadlock found, but one cannot be ruled out: " + Plural(threads, "thread") +
                (threads == 1 ? " waits" : " wait") +
                " for a lock or a task whose owner only a heap snapshot shows.");
  }
  if (counts.monitors_unknown) {
    return open(
        "No deadlock found, but one cannot be ruled out: the snapshot does not show who "
        "holds which monitor.");
  }
  if (counts.unknown_owners > 0) {
    return open("No deadlock found, but one cannot be ruled out: " +
                Plural(counts.unknown_owners, "lock") + " with waiters and an unknown owner.");
  }
  if (counts.unknown_tasks > 0) {
    return open("No deadlock found, but one cannot be ruled out: the " +
                UnknownTasks(counts.unknown_tasks) + ".");
  }
  if (from_heap) {
    return {true,
            "No deadlock of locks and tasks: nobody waits in a circle. Who awaits a semaphore, a "
            "signal or I/O may still wait in vain; `hindsight tasks` shows them."};
  }
  return {true, "No deadlock of threads in " + Plural(counts.looks, "thread snapshot") +
                    ": every thread that waits for a lock waits for an owner that can proceed."};
}

std::string HowToLook(const Model* events) {
  if (!MayStillRun(events)) {
    return "The process has exited; next time, record with `heap.every=10m`.";
  }
  return "While the process runs, `hindsight-trigger snapshot " +
         std::to_string(events->facts.pid) + "` shows for certain who holds what, including tasks.";
}

SeenLockWaits LockWaitsSeen(const Model& model, const DeadlockRules& rules,
                            const std::unordered_set<ThreadIndex>& reported) {
  SeenLockWaits out;
  if (model.waits.snapshots.empty()) return out;
  const BlockingCalls calls(model.dictionaries);
  const ThreadSnapshot& snapshot = model.waits.snapshots.back();
  struct WaitSite {
    uint64_t threads = 0;
    uint64_t least_ns = UINT64_MAX;
  };
  Places sites(model);
  std::map<MethodId, WaitSite> places;
  for (const ThreadInSnapshot& thread : snapshot.threads) {
    const std::vector<MethodId> path = model.dictionaries.Path(thread.stack);
    const BlockingCall call = calls.Find(path);
    const bool is_lock = call.is_lock() || thread.waits_for != 0;
    if (!is_lock || thread.state == ThreadRunState::kRunning) continue;
    if (reported.contains(thread.thread)) continue;
    const auto still =
        static_cast<uint64_t>(std::max<int64_t>(0, snapshot.at_ns - thread.unchanged_since_ns));
    ++out.threads;
    out.longest_ns = std::max(out.longest_ns, still);
    if (still < rules.unchanged_ns) continue;
    WaitSite& place = places[WaitSiteOf(sites, calls, path).site];
    ++place.threads;
    place.least_ns = std::min(place.least_ns, still);
  }
  const auto most =
      std::ranges::max_element(places, {}, [](const auto& place) { return place.second.threads; });
  if (most == places.end()) return out;
  out.unchanged = most->second.threads;
  out.unchanged_ns = most->second.least_ns;
  out.site = MethodNames(model.dictionaries).Display(most->first);
  return out;
}

}  // namespace hindsight::analyzer
