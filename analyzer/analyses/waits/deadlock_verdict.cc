#include "analyzer/analyses/waits/deadlock_verdict.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/heap_waits.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/analyses/waits/unchanged.h"
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

namespace {

// Fills in the owner of the lock that `thread` waits for. One that waits for a lock itself is among
// the standing ones.
void SetOwner(const Model& model, const ThreadSnapshot& snapshot, const ThreadInSnapshot& thread,
              uint64_t least_ns, Places& sites, const BlockingCalls& calls,
              SeenLockWaits::Standing& place) {
  const auto owner =
      std::ranges::find(snapshot.threads, thread.lock_owner, &ThreadInSnapshot::thread);
  if (thread.lock_owner == 0 || owner == snapshot.threads.end() || owner->waits_for != 0) return;
  const std::vector<MethodId> path = model.dictionaries.Path(owner->stack);
  place.owner = model.dictionaries.String(model.threads[owner->thread].name);
  place.owner_site = MethodNames(model.dictionaries).Display(WaitSiteOf(sites, calls, path).site);
  place.owner_call = calls.Find(path).kind;
  place.owner_stands = place.owner_call != BlockingCall::Kind::kNone &&
                       owner->state != ThreadRunState::kRunning &&
                       UnchangedNs(snapshot, *owner) >= least_ns;
}

}  // namespace

SeenLockWaits LockWaitsSeen(const Model& model, const DeadlockRules& rules,
                            const std::unordered_set<ThreadIndex>& reported) {
  SeenLockWaits out;
  if (model.waits.snapshots.empty()) return out;
  const BlockingCalls calls(model.dictionaries);
  const ThreadSnapshot& snapshot = model.waits.snapshots.back();
  Places sites(model);
  std::map<MethodId, SeenLockWaits::Standing> places;
  for (const ThreadInSnapshot& thread : snapshot.threads) {
    const std::vector<MethodId> path = model.dictionaries.Path(thread.stack);
    const bool is_lock = calls.Find(path).is_lock() || thread.waits_for != 0;
    if (!is_lock || thread.state == ThreadRunState::kRunning) continue;
    if (reported.contains(thread.thread)) continue;
    const uint64_t still_ns = UnchangedNs(snapshot, thread);
    ++out.threads;
    out.longest_ns = std::max(out.longest_ns, still_ns);
    if (still_ns < rules.unchanged_ns) continue;
    SeenLockWaits::Standing& place = places[WaitSiteOf(sites, calls, path).site];
    place.least_ns = place.threads == 0 ? still_ns : std::min(place.least_ns, still_ns);
    ++place.threads;
    if (place.owner_site.empty()) {
      SetOwner(model, snapshot, thread, rules.unchanged_ns, sites, calls, place);
    }
  }
  const MethodNames names(model.dictionaries);
  for (auto& [site, place] : places) {
    place.site = names.Display(site);
    out.standing.push_back(std::move(place));
  }
  std::ranges::stable_sort(out.standing, std::greater<>(), &SeenLockWaits::Standing::threads);
  return out;
}

}  // namespace hindsight::analyzer
