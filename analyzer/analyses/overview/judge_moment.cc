// What the threads of a heap snapshot show if nothing was recorded over time: a single moment.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/pool_work.h"
#include "analyzer/analyses/places/places.h"
#include "analyzer/analyses/waits/wait_queues.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Thread = WaitModel::Thread;

// Threads that a deadlock names, or counts among those that wait behind it, by OS id.
std::set<uint32_t> ReportedThreads(const Reports& reports) {
  std::set<uint32_t> reported;
  if (!reports.deadlocks_from_heap) return reported;
  for (const Deadlock& deadlock : reports.deadlocks.deadlocks) {
    for (const DeadlockMember& member : deadlock.members) {
      if (member.os_id) reported.insert(*member.os_id);
    }
    reported.insert(deadlock.victim_threads.begin(), deadlock.victim_threads.end());
  }
  return reported;
}

// Threads that wait for anything, by the place of yours in which they wait.
std::map<std::string, uint64_t> WaitingPlaces(const Reports& reports, bool workers) {
  const HeapReports& heap = *reports.heap;
  const MethodNames names(heap.model.dictionaries);
  Places places(heap.model.dictionaries, heap.model.application);
  const std::set<uint32_t> reported = ReportedThreads(reports);
  std::map<std::string, uint64_t> waiting;
  for (const Thread& thread : heap.waits.waits().threads) {
    if (thread.call.kind == BlockingCall::Kind::kNone || reported.contains(thread.os_id)) continue;
    if (thread.is_pool_worker != workers) continue;
    if (const Place place = places.Find(thread.path); place.is_yours) {
      ++waiting[names.Display(place.site)];
    }
  }
  return waiting;
}

uint64_t WorkersOf(const Reports& reports) {
  return static_cast<uint64_t>(
      std::ranges::count_if(reports.heap->waits.waits().threads, &Thread::is_pool_worker));
}

// Whether so many of all workers wait that their pool is short of them.
bool AreManyWorkers(uint64_t count, uint64_t workers, const OverviewRules& rules) {
  return count >= rules.blocked_workers &&
         static_cast<double>(count) >= rules.blocked_workers_share * static_cast<double>(workers);
}

using PlaceCount = std::pair<const std::string, uint64_t>;

const PlaceCount* Most(const std::map<std::string, uint64_t>& places) {
  const auto most = std::max_element(
      places.begin(), places.end(),
      [](const PlaceCount& a, const PlaceCount& b) { return a.second < b.second; });
  return most == places.end() ? nullptr : &*most;
}

constexpr std::string_view kOnlyAMoment =
    "A single snapshot does not show whether they are stuck or only slow: record for a while, or "
    "take two during one recording.";

}  // namespace

void JudgeCrowd(const Reports& reports, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  const std::map<std::string, uint64_t> places = WaitingPlaces(reports, false);
  const PlaceCount* const most = Most(places);
  if (most == nullptr || most->second < rules.crowd_threads) return;
  Finding finding;
  finding.kind = "crowd";
  finding.subject = most->first;
  finding.title = Plural(most->second, "thread") + " wait in " + most->first;
  finding.evidence = "Of " + Plural(reports.heap->waits.waits().threads.size(), "thread") +
                     " in the snapshot. " + std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(most->second) /
                   static_cast<double>(reports.heap->waits.waits().threads.size());
  findings.push_back(std::move(finding));
}

namespace {

// Workers that wait where no frame is yours, because the JIT inlined the work into the pool's own
// methods.
void JudgeHiddenWorkers(const Reports& reports, uint64_t workers, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  const HeapReports& heap = *reports.heap;
  Places places(heap.model.dictionaries, heap.model.application);
  const std::set<uint32_t> reported = ReportedThreads(reports);
  uint64_t hidden = 0;
  for (const Thread& thread : heap.waits.waits().threads) {
    if (!thread.is_pool_worker || thread.call.kind == BlockingCall::Kind::kNone ||
        reported.contains(thread.os_id) ||
        heap.waits.calls().WorkerOf(thread.path) != BlockingCalls::Worker::kAtWork) {
      continue;
    }
    if (!places.Find(thread.path).is_yours) ++hidden;
  }
  if (hidden < rules.blocked_workers ||
      static_cast<double>(hidden) < rules.blocked_workers_share * static_cast<double>(workers)) {
    return;
  }
  const std::optional<PoolWork> work = MostWork(heap);
  if (!work ||
      static_cast<double>(work->running) < rules.work_share * static_cast<double>(hidden)) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "blocked-workers";
  finding.subject = work->owner;
  finding.title = FormatCount(hidden) + " of " + FormatCount(workers) +
                  " workers of the thread pool block, most in work of " + work->owner;
  finding.evidence =
      "The JIT compiler has put the work into the pool's own methods, so no stack "
      "names it: " +
      FormatCount(work->running) + " of the tasks that run are of " + work->owner + ", and " +
      FormatCount(work->queued) + " more are queued. " + std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(hidden) / static_cast<double>(workers);
  findings.push_back(std::move(finding));
}

}  // namespace

namespace {

// Work is queued, and most of the workers that have work block: the pool starves, however few
// workers it has. Returns whether that is so.
bool JudgeQueuedWork(const Reports& reports, const PlaceCount* most, const OverviewRules& rules,
                     std::vector<Finding>& findings) {
  const HeapWaits& waits = reports.heap->waits;
  const std::set<uint32_t> reported = ReportedThreads(reports);
  uint64_t busy = 0, blocked = 0;
  for (const Thread& thread : waits.waits().threads) {
    if (waits.calls().WorkerOf(thread.path) != BlockingCalls::Worker::kAtWork) continue;
    ++busy;
    blocked += thread.call.kind != BlockingCall::Kind::kNone && !reported.contains(thread.os_id);
  }
  const uint64_t queued = waits.queued_in_pool();
  if (queued < rules.queued_work || queued < busy || blocked < rules.blocked_before_queue ||
      static_cast<double>(blocked) < rules.blocked_workers_share * static_cast<double>(busy)) {
    return false;
  }
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "blocked-workers";
  finding.title = FormatCount(queued) + " work items wait for a worker of the thread pool; " +
                  FormatCount(blocked) + " of " + FormatCount(busy) + " block";
  if (most != nullptr) {
    finding.subject = most->first;
    finding.title += most->second == blocked ? " in " : ", most in ";
    finding.title += most->first;
  }
  finding.evidence = std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(blocked) / static_cast<double>(busy);
  findings.push_back(std::move(finding));
  return true;
}

}  // namespace

void JudgeWorkers(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings) {
  const uint64_t workers = WorkersOf(reports);
  const std::map<std::string, uint64_t> places = WaitingPlaces(reports, true);
  const PlaceCount* const most = Most(places);
  if (JudgeQueuedWork(reports, most, rules, findings)) return;
  const bool are_many = most != nullptr && AreManyWorkers(most->second, workers, rules);
  if (!are_many) JudgeHiddenWorkers(reports, workers, rules, findings);
  if (most == nullptr || most->second < rules.blocked_workers) return;
  Finding finding;
  finding.severity = are_many ? Severity::kWarning : Severity::kNote;
  finding.kind = "blocked-workers";
  finding.subject = most->first;
  finding.title = FormatCount(most->second) + " of " + FormatCount(workers) +
                  " workers of the thread pool block in " + most->first;
  finding.evidence = std::string(kOnlyAMoment);
  finding.command = "deadlocks";
  finding.impact = static_cast<double>(most->second) / static_cast<double>(workers);
  findings.push_back(std::move(finding));
}

namespace {

// What the owner of the queue's lock waits for; kNone: it runs, or is unknown.
BlockingCall::Kind OwnersCall(const WaitQueue& queue, const HeapReports& heap) {
  if (queue.members.empty() || !queue.members.front().thread) return BlockingCall::Kind::kNone;
  return heap.waits.waits().threads[*queue.members.front().thread].call.kind;
}

}  // namespace

void JudgeQueue(const Reports& reports, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  const std::vector<WaitQueue> queues =
      FindWaitQueues(reports.heap->waits,
                     {.min_waiters = std::min(rules.queued_threads, rules.queued_behind_waiting)});
  const auto found = std::ranges::find_if(queues, [&](const WaitQueue& queue) {
    const bool waits = OwnersCall(queue, *reports.heap) != BlockingCall::Kind::kNone;
    return !queue.crowd.empty() &&
           queue.waiters >= (waits ? rules.queued_behind_waiting : rules.queued_threads);
  });
  if (found == queues.end()) return;
  const WaitQueue& queue = *found;
  const WaitTarget& lock = queue.nodes.front().target;
  const std::string& at = queue.crowd.front().at;
  Finding finding;
  finding.kind = "queue";
  finding.subject = at;
  // The waiting threads may already be reported by their place.
  if (std::ranges::any_of(findings, [&](const Finding& other) {
        return other.kind == "blocked-workers" && other.subject == finding.subject;
      })) {
    return;
  }
  if (AreManyWorkers(queue.waiters, WorkersOf(reports), rules)) {
    finding.severity = Severity::kWarning;
  }
  finding.title = Plural(queue.waiters, "thread") + " wait for one " +
                  (lock.kind == kClassConstructor ? lock.kind : "lock");
  if (!lock.name().empty()) {
    finding.title += ", " +
                     (lock.kind == kClassConstructor ? "that of " : "the " + lock.kind + " ") +
                     lock.name() + ",";
  }
  finding.title += " in " + at;
  if (!queue.members.empty()) {
    const DeadlockMember& owner = queue.members.front();
    const BlockingCall::Kind call = OwnersCall(queue, *reports.heap);
    finding.evidence = "Its owner ";
    finding.evidence += owner.site.empty()                   ? "can proceed. "
                        : call == BlockingCall::Kind::kSleep ? "sleeps in " + owner.site + ". "
                        : call != BlockingCall::Kind::kNone  ? "waits in " + owner.site + ". "
                                                             : "is in " + owner.site + ". ";
  }
  finding.evidence += std::string(kOnlyAMoment);
  finding.command = "report";
  finding.impact = static_cast<double>(queue.waiters) /
                   static_cast<double>(reports.heap->waits.waits().threads.size());
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
