// What nothing can complete any more: requests, whose clients wait until they give up, and if they
// do, the server does not notice; and background services and calls of yours that are still alive.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using For = OrphanedWait::For;

std::string_view AwaitedBy(const OrphanedWait& wait) {
  switch (wait.what) {
    case For::kPromise:
      return "a task that nothing can complete";
    case For::kNotStarted:
      return "a task that was never started";
    case For::kGone:
      return "tasks that nothing can complete";
    case For::kSemaphore:
      break;
  }
  return "a semaphore that nothing can release";
}

std::string WhyNothingCan(const OrphanedWait& wait, bool is_one) {
  switch (wait.what) {
    case For::kPromise:
      break;
    case For::kNotStarted:
      return "Only what awaits it refers to it, so nothing can call Start. Task.Run starts a task "
             "by itself.";
    case For::kGone:
      return "What the Task.WhenAll waits for is no longer alive, as after a collection of async "
             "methods that wait for each other, or for a TaskCompletionSource that was dropped.";
    case For::kSemaphore:
      return "Only what waits for the semaphore refers to it: it was entered a second time by its "
             "holder, for example, or was not released.";
  }
  // From .NET 10 on, the host awaits the task of a Task.Run.
  const bool is_run =
      !wait.service.empty() && wait.awaits.find("UnwrapPromise") != std::string::npos;
  return (is_run ? "Its ExecuteAsync awaits something, and nothing refers to it"
                 : (is_one ? "It awaits a " : "Each awaits a ") + wait.awaits +
                       " to which only what awaits it refers") +
         ": a TaskCompletionSource was dropped without a result, for example. Unless that is "
         "meant, it never goes on" +
         (wait.service.empty() ? "." : ", and the host cannot stop.");
}

// A program may mean to wait for a promise for ever: a doubt.
void JudgeOrphanedWaits(const TaskReport& report, const DeadlockReport& deadlocks,
                        std::vector<Finding>& findings) {
  uint64_t all = 0;
  for (const OrphanedWait& wait : report.orphaned) all += wait.count;
  for (const OrphanedWait& wait : report.orphaned) {
    if (wait.service.empty() && !wait.is_yours) continue;
    if (IsInDeadlock(wait.place, deadlocks, Proof::kPossible)) continue;
    Finding finding;
    finding.WarnUnlessDoubt(wait.what == For::kPromise);
    finding.kind = "orphaned-wait";
    finding.subject = wait.service.empty() ? wait.place : wait.service;
    const bool is_one = wait.count == 1;
    finding.title =
        !wait.service.empty() && is_one
            ? "The background service " + wait.service + " waits"
            : Plural(wait.count, "call") + " of " + wait.place + (is_one ? " waits" : " wait");
    finding.title += " for " + std::string(AwaitedBy(wait));
    finding.evidence = WhyNothingCan(wait, is_one);
    if (wait.blocks_thread) finding.evidence += " A thread blocks until it is done.";
    finding.command = "tasks";
    finding.impact = static_cast<double>(wait.count) / static_cast<double>(all);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void JudgeLostRequests(const TaskReport& report, const DeadlockReport& deadlocks,
                       const OverviewRules& rules, std::vector<Finding>& findings) {
  for (const LostRequests& lost : report.lost) {
    if (lost.count < rules.lost_requests) break;
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = "lost-requests";
    finding.subject = lost.place;
    finding.title = Plural(lost.count, "request") + " in " + lost.place + " can never complete";
    finding.evidence = "Each awaits a " + lost.awaits +
                       " that nothing references any more, so nothing can complete it. Those that "
                       "a collection has already removed are not counted.";
    finding.command = "tasks";
    const auto count = static_cast<double>(lost.count);
    finding.impact = count / (count + static_cast<double>(rules.lost_requests));
    findings.push_back(std::move(finding));
  }
  JudgeOrphanedWaits(report, deadlocks, findings);
}

}  // namespace hindsight::analyzer
