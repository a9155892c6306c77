// Threads: those that will never go on, the pool that starves, locks that many wait for.
#include <algorithm>
#include <optional>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// The place of a thread that waits, or starts another one.
std::string SiteOf(const ThreadReport& report, StackId stack) {
  const Dictionaries& dictionaries = report.model->dictionaries;
  Places places(*report.model);
  const Place place = WaitSiteOf(places, BlockingCalls(dictionaries), dictionaries.Path(stack));
  return MethodNames(dictionaries).Display(place.site);
}

Finding FindingOf(const ThreadReport& report, const ThreadProblem& problem) {
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.command = "threads";
  finding.subject = SiteOf(report, problem.stack);
  const std::string count = Plural(problem.threads.size(), "thread");
  const std::string still = FormatDuration(problem.threads.back().unchanged_ns);
  switch (problem.kind) {
    case ThreadProblem::Kind::kZombie:
      finding.kind = "zombie-threads";
      finding.title = count + " probably stuck for good in " + finding.subject;
      finding.evidence = "According to the kernel, none of them has run for " + still + " or more";
      break;
    case ThreadProblem::Kind::kLeak:
      finding.kind = "thread-leak";
      finding.title = count + " leaked: all are in " + finding.subject;
      finding.evidence = "All were started in " + SiteOf(report, problem.creator);
      if (problem.started_over_ns > 0) {
        const double seconds = static_cast<double>(problem.started_over_ns) / 1e9;
        finding.evidence +=
            ", at " +
            FormatRate(static_cast<double>(problem.threads.size() + problem.ended) / seconds) +
            "/s until the end; " + FormatCount(problem.ended) + " of those ended";
      } else {
        finding.evidence += ", and " + FormatCount(problem.ended) +
                            " of those ended; none has run for " + still + " or more";
      }
      break;
    case ThreadProblem::Kind::kForeground:
      finding.kind = "foreground-threads";
      finding.severity = Severity::kCritical;
      finding.title = "The process cannot exit: Main has returned, but " + count + " remain in " +
                      finding.subject;
      finding.evidence = "They have not run for " + still + " or more";
      break;
    case ThreadProblem::Kind::kFinalizer:
      finding.kind = "blocked-finalizer";
      finding.title =
          "The finalizer thread is blocked in " + finding.subject + ": no object is finalized";
      finding.evidence = "It has not run for " + still +
                         ", and all objects with finalizers stay in memory until it does";
      finding.impact = 1;
      break;
  }
  finding.evidence += problem.endless ? "; their call has no timeout." : ".";
  if (problem.kind == ThreadProblem::Kind::kFinalizer) return finding;
  finding.impact = std::min(
      1.0,
      static_cast<double>(problem.threads.size()) /
          std::max(1.0, static_cast<double>(report.thread_stacks.snapshot == nullptr
                                                ? 0
                                                : report.thread_stacks.snapshot->threads.size())));
  return finding;
}

// What a place that is not yours hides. Empty: nothing.
std::string HiddenThere(const PoolReport& report) {
  if (FrameKinds(*report.model).Of(report.blocking.front().site) != FrameKind::kFramework) {
    return {};
  }
  std::string out = ", into which the JIT compiler has put the work";
  if (report.seen_in != 0) {
    out += "; at another look workers blocked like that in " + report.names.Display(report.seen_in);
  }
  return out;
}

Finding StarvedPool(const PoolReport& report) {
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "starved";
  finding.command = "pool";
  finding.title = report.stood_still
                      ? "Thread pool starvation: work waited " +
                            FormatDuration(report.longest_stall_ns) + " and none completed"
                      : "Thread pool starvation: a work item waits " +
                            FormatDuration(report.mean_wait_ns) + " for a worker on average";
  finding.evidence =
      FormatCount(report.blocked) + " of " + Plural(report.busy, "worker") + " blocked";
  if (!report.blocking.empty()) {
    finding.subject = report.names.Display(report.blocking.front().site);
    const uint64_t most = report.blocking.front().count;
    finding.evidence += most == report.blocked ? ", all in " : ", " + FormatCount(most) + " in ";
    finding.evidence += finding.subject + HiddenThere(report);
  }
  finding.evidence += "; at most " + FormatCount(report.longest_queue) + " work items were queued.";
  const double seconds = SecondsOf(*report.model);
  finding.impact = report.stood_still
                       ? std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds)
                       : 1;
  return finding;
}

std::string Threads(double threads) { return FormatRate(threads) + " threads"; }

// Waits at `place` that are worth a word.
void JudgePlace(const LockReport& report, const WaitPlace& place, bool lacks_processors,
                const OverviewRules& rules, std::vector<Finding>& findings) {
  const double seconds = SecondsOf(*report.model);
  const double waiting = static_cast<double>(place.group.total_ns) / 1e9 / seconds;
  const bool is_convoy = waiting >= rules.convoy_threads && place.count() >= rules.convoy_waits;
  const bool is_long = place.longest_ns() >= rules.long_wait_ns;
  const bool is_hot = place.count() >= rules.hot_lock_waits && waiting >= rules.hot_lock_threads &&
                      place.total_ns() / place.count() >= rules.hot_lock_mean_ns;
  const std::string_view does = place.holder ? HolderDoes(place.holder->call.kind) : "";
  const bool is_asleep = is_hot && !does.empty() && !place.holder->call.is_lock();
  if (!is_convoy && !is_long && !is_hot) return;
  Finding finding;
  // Where threads have no processor, an owner that does not sleep waits for one.
  const bool is_ill = (is_convoy || is_long) && !lacks_processors;
  finding.severity = is_ill || is_asleep ? Severity::kWarning : Severity::kNote;
  finding.kind = is_convoy   ? "convoy"
                 : is_long   ? "long-wait"
                 : is_asleep ? "held-asleep"
                             : "hot-lock";
  finding.subject = report.names.Display(place.site);
  finding.title =
      is_long && !is_convoy
          ? "A wait of " + FormatDuration(place.longest_ns()) + " for a lock in " + finding.subject
          : "On average " + Threads(waiting) + " wait for a lock in " + finding.subject;
  finding.evidence = Plural(place.count(), "wait") + ", " + FormatDuration(place.total_ns()) +
                     " in total, " + FormatDuration(place.total_ns() / place.count()) +
                     " on average, the longest " + FormatDuration(place.longest_ns());
  if (!place.open.empty()) {
    finding.evidence +=
        "; " + FormatCount(place.open.size()) + " had not ended when the recording did";
  }
  finding.evidence += ".";
  if (place.holder) {
    finding.evidence += " Meanwhile the owner was in " + report.names.Display(place.holder->site);
    if (!does.empty()) finding.evidence += ", where it " + std::string(does);
    finding.evidence += ".";
  }
  finding.command = "locks";
  const double threads = static_cast<double>(place.total_ns()) / 1e9 / seconds;
  finding.impact = threads / (1 + threads);
  findings.push_back(std::move(finding));
}

// They wait for locks, and have not got on for long; why is unknown.
Finding BlockedOnLock(const LockReport& report, const SeenLockWaits& seen, bool lacks_processors) {
  Finding finding;
  finding.severity = lacks_processors ? Severity::kNote : Severity::kWarning;
  finding.kind = "standing-still";
  finding.subject = seen.site;
  finding.title = Plural(seen.unchanged, "thread") + " have waited for a lock for " +
                  FormatDuration(seen.unchanged_ns) + " or more in " + seen.site;
  finding.evidence =
      "According to the kernel, none of them ran between two thread snapshots; whether the lock's "
      "owner can proceed is unknown.";
  finding.command = "deadlocks";
  const double threads = static_cast<double>(report.model->waits.snapshots.back().threads.size());
  finding.impact = std::min(1.0, static_cast<double>(seen.unchanged) / std::max(1.0, threads));
  return finding;
}

// Unless they are told already, as lost threads or as a long wait.
void JudgeSeenLockWaits(const LockReport& report, const SeenLockWaits& seen, bool lacks_processors,
                        const OverviewRules& rules, std::vector<Finding>& findings) {
  if (seen.unchanged < rules.standing_threads) return;
  const bool is_told = std::ranges::any_of(
      findings, [&](const Finding& finding) { return finding.subject == seen.site; });
  if (!is_told) findings.push_back(BlockedOnLock(report, seen, lacks_processors));
}

Finding StrainedPool(const PoolReport& report) {
  Finding finding;
  // Workers that compute, or wait for a processor, make others wait as well.
  finding.severity = report.strained_by_tasks ? Severity::kWarning : Severity::kNote;
  finding.kind = "strained";
  finding.command = "pool";
  if (report.strained_by_tasks) {
    finding.title = "Thread pool workers block on tasks: the pool added a worker for that " +
                    Plural(report.cooperative, "time");
  } else if (report.waits_long) {
    finding.title = "A work item waits " + FormatDuration(report.mean_wait_ns) +
                    " for a thread pool worker on average";
  } else if (report.longest_stall_ns > 0) {
    finding.title = "Work waited in the thread pool, and none completed for " +
                    FormatDuration(report.longest_stall_ns);
  } else {
    finding.title =
        "The runtime detected thread pool starvation " + Plural(report.starvations, "time");
  }
  finding.evidence = "The runtime detected starvation " + Plural(report.starvations, "time") +
                     "; at most " + FormatCount(report.longest_queue) + " work items were queued";
  if (report.longest_stall_ns > 0) {
    finding.evidence +=
        ", and at most " + FormatDuration(report.longest_stall_ns) + " passed without progress";
  }
  if (report.has_thread_stacks && !report.blocking.empty()) {
    finding.subject = report.names.Display(report.blocking.front().site);
    finding.evidence += "; " + FormatCount(report.blocked) + " of " +
                        Plural(report.busy, "worker") + " were blocked, most of them in " +
                        finding.subject;
  }
  if (report.processors.is_short) finding.evidence += "; " + ProcessorWaitText(report.processors);
  finding.evidence += ".";
  const double seconds = SecondsOf(*report.model);
  finding.impact = std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds);
  return finding;
}

// Work that blocks a worker of the pool until a task is done, which itself needs a worker.
std::optional<Finding> BlockingOnTasks(const LockReport& report, const BlockingCalls& calls,
                                       FrameKinds& kinds, const WaitPlace& place,
                                       const OverviewRules& rules) {
  using Call = BlockingCall::Kind;
  const bool is_task = place.group.kind == WaitKind::kTask || place.call.kind == Call::kTask ||
                       place.call.kind == Call::kTasks;
  const bool is_worker =
      std::ranges::any_of(place.path, [&](MethodId method) { return calls.IsPoolWorker(method); });
  const double seconds = SecondsOf(*report.model);
  const double workers = static_cast<double>(place.total_ns()) / 1e9 / seconds;
  if (!is_task || !is_worker || place.count() < rules.blocking_waits ||
      workers < rules.blocking_workers || !kinds.IsYours(place.site)) {
    return std::nullopt;
  }
  Finding finding;
  finding.severity = workers >= rules.many_blocking_workers ? Severity::kWarning : Severity::kNote;
  finding.kind = "blocking-on-tasks";
  finding.subject = report.names.Display(place.site);
  finding.title =
      finding.subject + " blocks thread pool workers on tasks: " + Threads(workers) + " on average";
  finding.evidence = Plural(place.count(), "wait") + ", " +
                     FormatRate(static_cast<double>(place.count()) / seconds) + "/s, " +
                     FormatDuration(place.total_ns() / place.count()) +
                     " on average, the longest " + FormatDuration(place.longest_ns()) +
                     "; `await` would release the worker.";
  finding.command = "locks";
  finding.impact = workers / (1 + workers);
  return finding;
}

// One that a finding of the pool names already is told there.
void JudgeBlocking(const LockReport& report, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  const BlockingCalls calls(report.model->dictionaries);
  FrameKinds kinds(*report.model);
  for (const WaitPlace& place : report.signals) {
    std::optional<Finding> finding = BlockingOnTasks(report, calls, kinds, place, rules);
    if (!finding) continue;
    const bool is_told = std::ranges::any_of(findings, [&](const Finding& other) {
      return other.severity != Severity::kNote && other.command == "pool" &&
             other.subject == finding->subject;
    });
    if (!is_told) findings.push_back(*std::move(finding));
  }
}

}  // namespace

Coverage JudgeThreads(const Reports& reports, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  const bool has_looks =
      reports.events && reports.events->threads.thread_stacks.snapshot != nullptr;
  if (!has_looks && reports.heap) JudgeCrowd(reports, rules, findings);
  if (!reports.events) return NotRecorded("threads,waits");
  const ThreadReport& report = reports.events->threads;
  for (const ThreadProblem& problem : report.thread_stacks.problems) {
    findings.push_back(FindingOf(report, problem));
  }
  const RecordingFacts& facts = report.model->facts;
  Coverage coverage;
  coverage.looked_at = Plural(report.findings.size(), "thread");
  if (report.thread_stacks.snapshot == nullptr) {
    if (!facts.threads_on) return NotRecorded("threads,waits");
    coverage.state = Coverage::State::kPartly;
    coverage.note = facts.waits_on
                        ? "There is no thread snapshot."
                        : "Thread stacks were not recorded: record with `sources=waits`.";
    return coverage;
  }
  coverage.looked_at += ", " + Plural(report.model->waits.snapshot_count, "thread snapshot");
  const ThreadStackRules stack_rules;
  if (report.thread_stacks.problems.empty() &&
      SecondsOf(*report.model) * 1e9 < static_cast<double>(stack_rules.unchanged_ns)) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "A thread counts as stuck after not running for " +
                    FormatDuration(stack_rules.unchanged_ns) +
                    ", which is longer than the recording.";
  }
  return coverage;
}

Coverage JudgePool(const Reports& reports, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) {
    if (reports.heap) JudgeWorkers(reports, rules, findings);
    return NotRecorded("locks,waits");
  }
  const PoolReport& report = reports.events->pool;
  const Waits& waits = report.model->waits;
  Coverage coverage;
  coverage.looked_at = Plural(report.completed, "work item") + ", at most " +
                       FormatCount(report.longest_queue) + " queued, " +
                       Plural(report.most_workers, "worker");
  if (report.verdict == PoolReport::Verdict::kStarved) {
    findings.push_back(StarvedPool(report));
  } else if (report.verdict == PoolReport::Verdict::kStrained) {
    findings.push_back(StrainedPool(report));
  } else if (waits.samples.empty() && waits.adjustments.empty()) {
    coverage.looked_at.clear();
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "The pool did no work, or its events were not recorded.";
  } else if (report.verdict == PoolReport::Verdict::kUnknown) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Queued work made no progress for " + FormatDuration(report.longest_stall_ns) +
                    ", and the workers' stacks were not recorded: record with `sources=waits`.";
  }
  JudgeBlocking(reports.events->locks, rules, findings);
  return coverage;
}

Coverage JudgeLocks(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) return NotRecorded("locks");
  const LockReport& report = reports.events->locks;
  const bool lacks_processors = reports.events->pool.processors.is_short;
  Coverage coverage;
  const SeenLockWaits seen = LockWaitsSeen(*report.model);
  const bool is_told = !reports.deadlocks.deadlocks.empty();
  if (report.lock_waits == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No thread had to wait for a lock.";
    if (!is_told) JudgeSeenLockWaits(report, seen, lacks_processors, rules, findings);
    if (seen.threads > 0) {
      coverage.state = Coverage::State::kPartly;
      coverage.note =
          Plural(seen.threads, "thread") +
          " waited for locks in the last thread snapshot, since before the recording began.";
    } else if (report.model->waits.snapshots.empty()) {
      coverage.state = Coverage::State::kPartly;
      coverage.note = "No wait for a lock began during the recording; there is no thread snapshot.";
    }
    return coverage;
  }
  coverage.looked_at = Plural(report.lock_waits, "wait") + " for locks, " +
                       FormatDuration(report.lock_ns) + " in total";
  // Those that wait in a deadlock, or behind one, are told there.
  if (is_told) return coverage;
  for (const WaitPlace& place : report.locks) {
    JudgePlace(report, place, lacks_processors, rules, findings);
  }
  JudgeSeenLockWaits(report, seen, lacks_processors, rules, findings);
  return coverage;
}

}  // namespace hindsight::analyzer
