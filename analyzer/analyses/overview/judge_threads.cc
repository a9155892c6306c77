// Threads: those that will never go on, the pool that starves, locks that many wait for.
#include <algorithm>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Of the first frame that is not the framework's way to wait.
std::string SiteOf(const ThreadReport& report, StackId stack) {
  const Dictionaries& dictionaries = report.model->dictionaries;
  const std::vector<MethodId> path = dictionaries.Path(stack);
  const BlockingCalls calls(dictionaries);
  const MethodId site = calls.Site(path, calls.Find(path).frames);
  return MethodNames(dictionaries).Display(site);
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
      finding.evidence = "All were started in " + SiteOf(report, problem.creator) + ", and " +
                         FormatCount(problem.ended) + " of those ended; none has run for " + still +
                         " or more";
      break;
    case ThreadProblem::Kind::kForeground:
      finding.kind = "foreground-threads";
      finding.severity = Severity::kCritical;
      finding.title = "The process cannot exit: Main has returned, but " + count + " remain in " +
                      finding.subject;
      finding.evidence = "They have not run for " + still + " or more";
      break;
  }
  finding.evidence += problem.endless ? "; their call has no timeout." : ".";
  finding.impact = std::min(
      1.0, static_cast<double>(problem.threads.size()) /
               std::max(1.0, static_cast<double>(report.standings.snapshot == nullptr
                                                     ? 0
                                                     : report.standings.snapshot->threads.size())));
  return finding;
}

Finding StarvedPool(const PoolReport& report) {
  Finding finding;
  finding.severity = Severity::kCritical;
  finding.kind = "starved";
  finding.command = "pool";
  finding.title = "Thread pool starvation: work waited " + FormatDuration(report.longest_stall_ns) +
                  " and none completed";
  finding.evidence =
      FormatCount(report.blocked) + " of " + Plural(report.busy, "worker") + " blocked";
  if (!report.blocking.empty()) {
    finding.subject = report.names.Display(report.blocking.front().site);
    const uint64_t most = report.blocking.front().count;
    finding.evidence += most == report.blocked ? ", all in " : ", " + FormatCount(most) + " in ";
    finding.evidence += finding.subject;
  }
  finding.evidence += "; at most " + FormatCount(report.longest_queue) + " work items were queued.";
  const double seconds = SecondsOf(*report.model);
  finding.impact = std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds);
  return finding;
}

std::string Threads(double threads) { return FormatRate(threads) + " threads"; }

// Waits at `place` that are worth a word.
void JudgePlace(const LockReport& report, const WaitPlace& place, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  const double seconds = SecondsOf(*report.model);
  const double waiting = static_cast<double>(place.group.total_ns) / 1e9 / seconds;
  const bool is_convoy = waiting >= rules.convoy_threads && place.count() >= rules.convoy_waits;
  const bool is_long = place.longest_ns() >= rules.long_wait_ns;
  if (!is_convoy && !is_long && waiting < rules.hot_lock_threads) return;
  Finding finding;
  finding.severity = is_convoy || is_long ? Severity::kWarning : Severity::kNote;
  finding.kind = is_convoy ? "convoy" : is_long ? "long-wait" : "hot-lock";
  finding.subject = report.names.Display(place.site);
  finding.title =
      is_long && !is_convoy
          ? "A wait of " + FormatDuration(place.longest_ns()) + " for a lock in " + finding.subject
          : "On average " + Threads(waiting) + " wait for a lock in " + finding.subject;
  finding.evidence = Plural(place.count(), "wait") + ", " + FormatDuration(place.total_ns()) +
                     " in total, the longest " + FormatDuration(place.longest_ns());
  if (!place.open.empty()) {
    finding.evidence +=
        "; " + FormatCount(place.open.size()) + " had not ended when the recording did";
  }
  finding.evidence += ".";
  finding.command = "locks";
  const double threads = std::max<double>(1, static_cast<double>(report.model->threads.size() - 1));
  finding.impact = std::min(1.0, static_cast<double>(place.total_ns()) / 1e9 / seconds / threads);
  findings.push_back(std::move(finding));
}

constexpr uint64_t kLeastStanding = 2;

// They wait for locks, and have not got on for long; why is not known.
Finding StandingStill(const LockReport& report, const StandingWaits& seen) {
  Finding finding;
  finding.severity = Severity::kWarning;
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
void JudgeStanding(const LockReport& report, const StandingWaits& seen,
                   std::vector<Finding>& findings) {
  if (seen.unchanged < kLeastStanding) return;
  const bool is_told = std::ranges::any_of(
      findings, [&](const Finding& finding) { return finding.subject == seen.site; });
  if (!is_told) findings.push_back(StandingStill(report, seen));
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
  } else if (report.longest_stall_ns > 0) {
    finding.title = "Work waited in the thread pool, and none completed for " +
                    FormatDuration(report.longest_stall_ns);
  } else {
    finding.title =
        "The runtime detected thread pool starvation " + Plural(report.starvations, "time");
  }
  finding.evidence = "The runtime detected starvation " + Plural(report.starvations, "time") +
                     "; at most " + FormatCount(report.longest_queue) +
                     " work items were queued, and at most " +
                     FormatDuration(report.longest_stall_ns) + " passed without progress";
  if (report.has_standings && !report.blocking.empty()) {
    finding.subject = report.names.Display(report.blocking.front().site);
    finding.evidence += "; " + FormatCount(report.blocked) + " of " +
                        Plural(report.busy, "worker") + " were blocked, most of them in " +
                        finding.subject;
  }
  finding.evidence += ".";
  const double seconds = SecondsOf(*report.model);
  finding.impact = std::min(1.0, static_cast<double>(report.stalled_ns) / 1e9 / seconds);
  return finding;
}

}  // namespace

Coverage JudgeThreads(const Reports& reports, const OverviewRules&,
                      std::vector<Finding>& findings) {
  if (!reports.events) return NotRecorded("threads,waits");
  const ThreadReport& report = reports.events->threads;
  for (const ThreadProblem& problem : report.standings.problems) {
    findings.push_back(FindingOf(report, problem));
  }
  const RecordingFacts& facts = report.model->facts;
  Coverage coverage;
  coverage.looked_at = Plural(report.findings.size(), "thread");
  if (report.standings.snapshot == nullptr) {
    if (!facts.threads_on) return NotRecorded("threads,waits");
    coverage.state = Coverage::State::kPartly;
    coverage.note = facts.waits_on
                        ? "There is no thread snapshot."
                        : "Thread stacks were not recorded: record with `sources=waits`.";
    return coverage;
  }
  coverage.looked_at += ", " + Plural(report.model->waits.snapshot_count, "thread snapshot");
  const StandingRules rules;
  if (SecondsOf(*report.model) * 1e9 < static_cast<double>(rules.unchanged_ns)) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "A thread counts as stuck after not running for " +
                    FormatDuration(rules.unchanged_ns) + ", which is longer than the recording.";
  }
  return coverage;
}

Coverage JudgePool(const Reports& reports, const OverviewRules&, std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) return NotRecorded("locks,waits");
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
  return coverage;
}

Coverage JudgeLocks(const Reports& reports, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.locks_on) return NotRecorded("locks");
  const LockReport& report = reports.events->locks;
  Coverage coverage;
  const StandingWaits seen = LockWaitsSeen(*report.model);
  const bool is_told = !reports.deadlocks.deadlocks.empty();
  if (report.lock_waits == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No thread had to wait for a lock.";
    if (!is_told) JudgeStanding(report, seen, findings);
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
  for (const WaitPlace& place : report.locks) JudgePlace(report, place, rules, findings);
  JudgeStanding(report, seen, findings);
  return coverage;
}

}  // namespace hindsight::analyzer
