// The thread pool: work that waits for workers, and the places that block them.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/overview/pool_work.h"
#include "analyzer/analyses/waits/task_blockers.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string Queued(uint64_t items) {
  return Plural(items, "work item") + (items == 1 ? " was queued" : " were queued");
}

// Where workers block, from a programmer's view: if the place is the framework's, because the JIT
// inlined the work into it, the place of yours that another look or a heap snapshot shows.
struct BlockedPlace {
  std::string subject;
  std::string text;  // "in Shop.Cart.Load"
};

// ", in System.Threading.SemaphoreSlim.Wait": what the place called; empty: it waits itself.
std::string CalledIn(const PoolReport& report, const BlockingSite& blocking) {
  const auto site = std::ranges::find(blocking.path, blocking.site);
  if (site == blocking.path.end() || site == blocking.path.begin()) return {};
  return ", in " + report.names.Display(*std::prev(site));
}

BlockedPlace PlaceOf(const PoolReport& report, const HeapReports* heap,
                     const OverviewRules& rules) {
  const MethodId site = report.blocking.front().site;
  const std::string name = report.names.Display(site);
  if (FrameKinds(*report.model).Of(site) != FrameKind::kFramework) {
    return {name, "in " + name + CalledIn(report, report.blocking.front())};
  }
  const std::string hides = ", into which the JIT compiler has put the work";
  if (report.seen_in != 0) {
    const std::string seen = report.names.Display(report.seen_in);
    return {seen, "in " + name + hides +
                      "; in another snapshot, workers blocked in the same way in " + seen};
  }
  const std::optional<PoolWork> work = heap != nullptr ? MostWork(*heap) : std::nullopt;
  if (work && work->running + work->queued >= rules.work_tasks &&
      static_cast<double>(work->running + work->queued) >=
          rules.work_share * static_cast<double>(work->all)) {
    return {work->owner, "in " + name + hides + "; of " + Plural(work->all, "task") +
                             " that ran or waited to run in the heap snapshot, " +
                             FormatCount(work->running + work->queued) + " were work of " +
                             work->owner};
  }
  return {name, "in " + name + hides};
}

Finding StarvedPool(const PoolReport& report, const HeapReports* heap, const OverviewRules& rules) {
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "starved";
  finding.command = "pool";
  // The longer time of the two.
  const bool stood_longest =
      report.stood_still && (!report.waits_long || report.longest_stall_ns >= report.mean_wait_ns);
  finding.title = stood_longest
                      ? "Thread pool starvation: work waited " +
                            FormatDuration(report.longest_stall_ns) + " and none completed"
                      : "Thread pool starvation: a work item waits " + report.MeanWaitText() +
                            " for a worker on average";
  finding.evidence =
      FormatCount(report.blocked) + " of " + Plural(report.busy, "worker") + " blocked";
  if (!report.blocking.empty()) {
    const BlockedPlace place = PlaceOf(report, heap, rules);
    finding.subject = place.subject;
    const uint64_t most = report.blocking.front().count;
    finding.evidence += most == report.blocked ? ", all "
                        : report.blocking.size() > 2
                            ? " in " + FormatCount(report.blocking.size()) + " places, " +
                                  FormatCount(most) + " of them "
                            : ", " + FormatCount(most) + " ";
    finding.evidence += place.text;
  }
  finding.evidence += "; at most " + Queued(report.longest_queue) + ".";
  const double seconds = SecondsOf(*report.model);
  finding.impact =
      stood_longest ? std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds) : 1;
  return finding;
}

// Further places that block workers of a starved pool: each has to be fixed.
void JudgeFurtherPlaces(const PoolReport& report, FrameKinds& kinds, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  uint64_t reported = 0;
  for (size_t i = 1; i < report.blocking.size() && reported < rules.blocked_places_reported; ++i) {
    const BlockingSite& site = report.blocking[i];
    if (site.count < rules.blocked_workers ||
        static_cast<double>(site.count) <
            rules.blocked_place_share * static_cast<double>(report.blocked)) {
      break;
    }
    if (!kinds.IsYours(site.site)) continue;
    ++reported;
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = "blocked-workers";
    finding.subject = report.names.Display(site.site);
    finding.title = FormatCount(site.count) + " of " + FormatCount(report.busy) +
                    " workers of the thread pool block in " + finding.subject;
    finding.evidence = "In the same thread snapshot as those above.";
    finding.command = "pool";
    finding.impact =
        static_cast<double>(site.count) / static_cast<double>(std::max<uint64_t>(1, report.busy));
    findings.push_back(std::move(finding));
  }
}

// Whether blocking on tasks is what a strained pool's finding is about.
bool StrainedByTasks(const PoolReport& report) {
  const bool by_other = report.strained_by_blocking || report.waits_long;
  return report.strained_by_tasks || (report.blocks_on_tasks && !by_other);
}

Finding StrainedPool(const PoolReport& report, const LockReport& locks, const HeapReports* heap,
                     const OverviewRules& rules) {
  Finding finding;
  // Workers that compute, or wait for a processor, make others wait as well.
  finding.severity = report.strained_by_tasks || report.strained_by_blocking ? Severity::kWarning
                                                                             : Severity::kNote;
  finding.kind = "strained";
  finding.command = "pool";
  if (StrainedByTasks(report)) {
    finding.title = "Thread pool workers block on tasks: the pool made up for that " +
                    Plural(report.cooperative, "time");
  } else if (report.strained_by_blocking && report.waits_blocked) {
    finding.title = "Thread pool workers block: a work item waits " + report.MeanWaitText() +
                    " for one on average";
  } else if (report.strained_by_blocking) {
    finding.title = "The runtime detected thread pool starvation " +
                    Plural(report.starvations, "time") + ", and workers block";
  } else if (report.waits_long) {
    finding.title =
        "A work item waits " + report.MeanWaitText() + " for a thread pool worker on average";
  } else if (report.longest_stall_ns > 0) {
    finding.title = "Work waited in the thread pool, and none completed for " +
                    FormatDuration(report.longest_stall_ns);
  } else {
    finding.title =
        "The runtime detected thread pool starvation " + Plural(report.starvations, "time");
  }
  const bool says_so = finding.title.starts_with("The runtime detected");
  finding.evidence =
      says_so || report.starvations == 0
          ? "At most "
          : "The runtime detected starvation " + Plural(report.starvations, "time") + "; at most ";
  finding.evidence += Queued(report.longest_queue);
  if (report.longest_stall_ns > 0) {
    finding.evidence +=
        ", and at most " + FormatDuration(report.longest_stall_ns) + " passed without progress";
  }
  if (report.has_thread_stacks && !report.blocking.empty()) {
    const BlockedPlace place = PlaceOf(report, heap, rules);
    finding.subject = place.subject;
    const uint64_t most = report.blocking.front().count;
    finding.evidence += "; " + FormatCount(report.blocked) + " of " +
                        Plural(report.busy, "worker") + " were blocked, " +
                        (most == report.blocked ? "all " : FormatCount(most) + " of them ") +
                        place.text;
  }
  if (report.processors.is_short) finding.evidence += "; " + ProcessorWaitText(report.processors);
  const Requests& requests = report.model->requests;
  if (finding.severity == Severity::kWarning && requests.finished == 0 &&
      requests.in_progress() >= rules.waiting_requests) {
    finding.severity = Severity::kCritical;
    finding.evidence += "; none of " + Plural(requests.in_progress(), "request") + " ended";
  }
  finding.evidence += ".";
  const bool has_task_waits = std::ranges::any_of(locks.signals, &WaitPlace::is_for_task);
  if (report.blocks_on_tasks && finding.subject.empty() && !has_task_waits) {
    finding.evidence += " `locks.task_waits=on` records where they block.";
  }
  const double seconds = SecondsOf(*report.model);
  finding.impact = std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds);
  return finding;
}

std::optional<Finding> BlockingOnTasks(const LockReport& report, const TaskBlocker& blocker,
                                       const OverviewRules& rules) {
  const double seconds = SecondsOf(*report.model);
  const double workers = static_cast<double>(blocker.total_ns) / 1e9 / seconds;
  if (blocker.count < rules.blocking_waits || workers < rules.blocking_workers) {
    return std::nullopt;
  }
  // Packages may have workers of the pool for good.
  if (blocker.is_of_package && workers < rules.blocking_workers_of_package) return std::nullopt;
  Finding finding;
  finding.severity = workers >= rules.many_blocking_workers && !blocker.is_of_package
                         ? Severity::kWarning
                         : Severity::kNote;
  finding.is_doubt = blocker.is_of_package;
  finding.kind = "blocking-on-tasks";
  finding.subject = report.names.Display(blocker.site());
  const bool is_hidden = blocker.inlined == blocker.count && blocker.seen == 0;
  finding.title =
      (is_hidden ? "Code that the JIT compiler has put into " + finding.subject + " blocks"
                 : finding.subject + " blocks") +
      " thread pool workers on tasks: " + FormatRate(workers) + " threads on average";
  finding.evidence = Plural(blocker.count, "wait") + ", " +
                     FormatRate(static_cast<double>(blocker.count) / seconds) + "/s, " +
                     FormatDuration(blocker.total_ns / blocker.count) +
                     " on average, the longest " + FormatDuration(blocker.longest_ns);
  if (is_hidden) {
    finding.evidence +=
        ". Which method of yours that is, does not show: `hindsight-trigger launch --inlined` "
        "records it, and `hindsight-trigger snapshot` which tasks are waited for";
  } else if (blocker.inlined > 0 && blocker.seen == 0) {
    finding.evidence += "; " + FormatCount(blocker.inlined) + " of them in " +
                        report.names.Display(blocker.inlined_into) +
                        ", into which the JIT compiler has put the work";
  }
  finding.evidence += blocker.is_of_package
                          ? "; the method is a package's: see who calls it, and whether it can be "
                            "awaited."
                          : "; `await` would release the worker.";
  finding.command = "locks";
  finding.impact = workers / (1 + workers);
  return finding;
}

// The same from thread snapshots alone: short waits spin, and no event reports them.
std::optional<Finding> SeenBlockingOnTasks(const PoolReport& report, const WorkerBlocker& blocker,
                                           const OverviewRules& rules) {
  const auto looks = static_cast<double>(report.model->waits.snapshots.size());
  const double workers = static_cast<double>(blocker.workers) / looks;
  if (workers < rules.blocking_workers) return std::nullopt;
  Finding finding;
  finding.severity = workers >= rules.many_blocking_workers && blocker.looks >= rules.blocking_looks
                         ? Severity::kWarning
                         : Severity::kNote;
  finding.kind = "blocking-on-tasks";
  finding.subject = report.names.Display(blocker.site);
  finding.title = finding.subject + " blocks thread pool workers on tasks, in " +
                  FormatCount(blocker.looks) + " of " +
                  Plural(report.model->waits.snapshots.size(), "thread snapshot");
  finding.evidence = "On average " + FormatRate(workers) +
                     " workers were there; `await` would release them. How long they block was not "
                     "recorded: `locks.task_waits=on` does that.";
  finding.command = "pool";
  finding.impact = workers / (1 + workers);
  return finding;
}

// Workers that sleep, or wait for an event, a semaphore or the like, in most thread snapshots: the
// pool had to add others to get anything done, even if nothing waited for long.
std::optional<Finding> SeenBlocking(const PoolReport& report, const WorkerBlocker& blocker,
                                    const OverviewRules& rules) {
  const uint64_t looks = report.model->waits.snapshots.size();
  const double workers = static_cast<double>(blocker.workers) / static_cast<double>(looks);
  const bool sleeps = blocker.call == BlockingCall::Kind::kSleep;
  const bool are_many = workers >= static_cast<double>(rules.blocked_workers) &&
                        static_cast<double>(blocker.workers) >=
                            rules.blocked_workers_share * static_cast<double>(report.busy_in_all);
  if (blocker.looks < rules.blocking_looks || 2 * blocker.looks < looks) return std::nullopt;
  // One that sleeps in nearly all of them may be all that does this work: an actor, a grain, a
  // loop.
  const bool always =
      static_cast<double>(blocker.looks) >= rules.sleeping_looks * static_cast<double>(looks) ||
      workers >= static_cast<double>(rules.sleeping_workers);
  if (!are_many && !(sleeps && always)) return std::nullopt;
  Finding finding;
  // Consumers that wait for work are many at times, but nobody waits for them.
  finding.severity = are_many && sleeps ? Severity::kWarning : Severity::kNote;
  finding.is_doubt = are_many && always && !sleeps;
  finding.kind = "blocked-workers";
  finding.subject = report.names.Display(blocker.site);
  finding.title = FormatRate(workers) + " of " +
                  FormatRate(static_cast<double>(report.busy_in_all) / static_cast<double>(looks)) +
                  " busy thread pool workers " + (sleeps ? "sleep" : "block") + " in " +
                  finding.subject + ", on average";
  const std::string through = blocker.through == 0 ? "" : report.names.Display(blocker.through);
  finding.evidence =
      "In " + FormatCount(blocker.looks) + " of " + Plural(looks, "thread snapshot") + ". ";
  if (report.most_workers > 0) {
    finding.evidence += "The pool had up to " + Plural(report.most_workers, "worker") +
                        ", with at most " + Plural(report.longest_queue, "work item") + " queued. ";
  }
  if (blocker.most_in_timers > 1) {
    finding.evidence += "Up to " + FormatCount(blocker.most_in_timers) +
                        " at once are in callbacks of timers: one that is due again before its "
                        "callback has ended overlaps itself. ";
  }
  if (through.starts_with("Microsoft.Data.Sqlite.")) {
    finding.evidence += "The calls end in " + through +
                        ", which sleeps and tries again while another connection has locked the "
                        "database: look for transactions that take long.";
  } else if (!through.empty()) {
    finding.evidence += "The calls end in " + through + ".";
  } else {
    finding.evidence += "A worker that blocks does no other work: ";
    finding.evidence +=
        sleeps ? "`await Task.Delay` would release it." : "`await` would release it.";
  }
  finding.command = "pool";
  finding.impact = workers / (1 + workers);
  return finding;
}

// What the pool did because workers block, without a known place: reported with the first place.
void TakeOver(const PoolReport& pool, Finding& finding, std::vector<Finding>& findings) {
  if (!StrainedByTasks(pool)) return;
  const auto same = std::ranges::find_if(findings, [&](const Finding& other) {
    return other.kind == "strained" && (other.subject.empty() || other.subject == finding.subject);
  });
  if (same == findings.end()) return;
  finding.severity = std::min(finding.severity, same->severity);
  finding.impact = std::max(finding.impact, same->impact);
  finding.evidence += " The pool made up for that " + Plural(pool.cooperative, "time") +
                      "; at most " + Queued(pool.longest_queue) + ".";
  findings.erase(same);
}

// A loop that waits for its next work: it takes one worker, and keeps nothing else from running.
bool IsLoop(const Model& model, const TaskBlocker& blocker, const PoolReport& pool,
            const OverviewRules& rules) {
  using Verdict = PoolReport::Verdict;
  if (pool.verdict == Verdict::kStarved || pool.verdict == Verdict::kStrained) return false;
  const double workers = static_cast<double>(blocker.total_ns) / 1e9 / SecondsOf(model);
  return workers >= rules.looping_worker && blocker.IsOneAtATime(model);
}

// A place that a finding about the pool already names is reported there.
void JudgeBlocking(const LockReport& report, const PoolReport& pool, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  FrameKinds kinds(*report.model);
  for (const TaskBlocker& blocker : TaskBlockersOf(report, pool, kinds)) {
    std::optional<Finding> finding = BlockingOnTasks(report, blocker, rules);
    if (!finding) continue;
    if (IsLoop(*report.model, blocker, pool, rules)) {
      finding->severity = Severity::kNote;
      finding->is_doubt = false;
      finding->evidence += " It is one worker all the time: a loop that waits.";
    }
    TakeOver(pool, *finding, findings);
    const bool is_reported = std::ranges::any_of(findings, [&](const Finding& other) {
      return other.severity != Severity::kNote && other.command == "pool" &&
             other.subject == finding->subject;
    });
    if (!is_reported) findings.push_back(*std::move(finding));
  }
  // If the pool is short of workers, its own finding says where they block.
  if (pool.verdict != PoolReport::Verdict::kHealthy) return;
  for (const WorkerBlocker& blocker : pool.blockers) {
    if (IsLock(blocker.call)) continue;  // its lock is reported
    std::optional<Finding> finding = IsForTask(blocker.call)
                                         ? SeenBlockingOnTasks(pool, blocker, rules)
                                         : SeenBlocking(pool, blocker, rules);
    const auto names_it = [&](const Finding& other) { return other.subject == finding->subject; };
    if (!finding || std::ranges::any_of(findings, names_it)) continue;
    findings.push_back(*std::move(finding));
  }
}

}  // namespace

Coverage JudgePool(const Reports& reports, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) {
    if (reports.heap) JudgeWorkers(reports, rules, findings);
    return NotRecorded("+locks,+waits");
  }
  const PoolReport& report = reports.events->pool;
  const Waits& waits = report.model->waits;
  Coverage coverage;
  if (!waits.samples.empty()) {
    coverage.looked_at = Plural(report.completed, "work item") + ", at most " +
                         FormatCount(report.longest_queue) + " queued, " +
                         Plural(report.most_workers, "worker");
  } else {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "The runtime did not provide the pool's counters: queued work is unknown.";
  }
  if (report.verdict == PoolReport::Verdict::kStarved) {
    findings.push_back(StarvedPool(report, reports.heap.get(), rules));
    FrameKinds kinds(*report.model);
    JudgeFurtherPlaces(report, kinds, rules, findings);
  } else if (report.verdict == PoolReport::Verdict::kStrained) {
    Finding strained = StrainedPool(report, reports.events->locks, reports.heap.get(), rules);
    // Where the processors are short, the pool is slow as well, which is no finding of its own.
    const bool follows = report.processors.is_short && strained.severity == Severity::kNote &&
                         report.longest_queue <= rules.few_queued;
    if (!follows) findings.push_back(std::move(strained));
  } else if (waits.samples.empty() && waits.adjustments.empty()) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "The pool did no work, or its events were not recorded.";
  } else if (report.verdict == PoolReport::Verdict::kUnknown) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Queued work made no progress for " + FormatDuration(report.longest_stall_ns) +
                    ", and the workers' stacks were not recorded: record with `sources=+waits`.";
  }
  if (report.verdict != PoolReport::Verdict::kStarved) {
    JudgeBlockedRequests(reports.events->locks, rules, findings);
  }
  JudgeBlocking(reports.events->locks, report, rules, findings);
  return coverage;
}

}  // namespace hindsight::analyzer
