// Threads: those that will never proceed, and those that the finalizers need.
#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// The place in which a thread waits, or starts another one.
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
      finding.severity = Severity::kNote;
      finding.title = count + " idle or stuck forever in " + finding.subject;
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
    case ThreadProblem::Kind::kFull:
      finding.kind = "full-collection";
      finding.title = count + (problem.threads.size() == 1 ? " waits" : " wait") +
                      " for room in a full collection, in " + finding.subject;
      finding.evidence = "None of them has run for " + still +
                         " or more: nothing is taken from the BlockingCollection. Look for what "
                         "should take it, and has ended or is blocked";
      // What takes it may only be slow.
      if (problem.threads.front().unchanged_ns < ThreadStackRules().unchanged_ns) {
        finding.severity = Severity::kNote;
        finding.is_doubt = true;
      }
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
  if (problem.kind == ThreadProblem::Kind::kZombie) {
    finding.evidence += " Workers that have nothing to do look the same.";
  }
  if (problem.kind == ThreadProblem::Kind::kFinalizer) return finding;
  finding.impact = std::min(
      1.0,
      static_cast<double>(problem.threads.size()) /
          std::max(1.0, static_cast<double>(report.thread_stacks.snapshot == nullptr
                                                ? 0
                                                : report.thread_stacks.snapshot->threads.size())));
  return finding;
}

}  // namespace

Coverage JudgeThreads(const Reports& reports, const OverviewRules& rules,
                      std::vector<Finding>& findings) {
  const bool has_looks = reports.events && reports.events->model.facts.waits_on &&
                         reports.events->threads.thread_stacks.snapshot != nullptr;
  if (!has_looks && reports.heap) JudgeCrowd(reports, rules, findings);
  if (!reports.events) return NotRecorded("+threads,+waits");
  const ThreadReport& report = reports.events->threads;
  for (const ThreadProblem& problem : report.thread_stacks.problems) {
    findings.push_back(FindingOf(report, problem));
  }
  if (!IsReported(findings, "blocked-finalizer")) JudgeBusyFinalizer(report, rules, findings);
  if (report.thread_stacks.problems.empty()) JudgeThreadChurn(*report.model, rules, findings);
  JudgeBlockedShutdown(report, rules, findings);
  JudgeSlowEnd(*report.model, rules, findings);
  const RecordingFacts& facts = report.model->facts;
  Coverage coverage;
  coverage.looked_at = Plural(report.findings.size(), "thread");
  if (report.thread_stacks.snapshot == nullptr) {
    if (!facts.threads_on) return NotRecorded("+threads,+waits");
    coverage.state = Coverage::State::kPartly;
    coverage.note = facts.waits_on
                        ? "There is no thread snapshot."
                        : "Thread stacks were not recorded: record with `sources=+waits`.";
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
    if (report.model->facts.length_ns() < rules.still_ns) {
      const std::string waits = WaitsForSignals(reports);
      if (!waits.empty()) coverage.note += " " + waits;
    }
  } else if (const std::string still = StillText(report.thread_stacks, report.names);
             report.thread_stacks.problems.empty() && !still.empty()) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = still + ": idle, or stuck; `hindsight threads` shows them.";
  }
  return coverage;
}

}  // namespace hindsight::analyzer
