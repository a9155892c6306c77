// What nothing can complete any more: requests, whose clients wait until they give up, and if they
// do, the server does not notice; and background services and calls of yours that are still alive.
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// A program may mean to wait for ever: a doubt.
void JudgeOrphanedWaits(const TaskReport& report, std::vector<Finding>& findings) {
  uint64_t all = 0;
  for (const OrphanedWait& wait : report.orphaned) all += wait.count;
  for (const OrphanedWait& wait : report.orphaned) {
    if (wait.service.empty() && !wait.is_yours) continue;
    Finding finding;
    finding.is_doubt = true;
    finding.kind = "orphaned-wait";
    finding.subject = wait.service.empty() ? wait.place : wait.service;
    const bool is_one = wait.count == 1;
    finding.title =
        !wait.service.empty() && is_one
            ? "The background service " + wait.service + " waits"
            : Plural(wait.count, "call") + " of " + wait.place + (is_one ? " waits" : " wait");
    finding.title += " for a task that nothing can complete";
    // From .NET 10 on, the host awaits the task of a Task.Run.
    const bool is_run =
        !wait.service.empty() && wait.awaits.find("UnwrapPromise") != std::string::npos;
    finding.evidence = is_run ? "Its ExecuteAsync awaits something, and nothing refers to it"
                              : (is_one ? "It awaits a " : "Each awaits a ") + wait.awaits +
                                    " to which only what awaits it refers";
    finding.evidence +=
        ": a TaskCompletionSource was dropped without a result, for example. Unless that is meant, "
        "it never goes on";
    finding.evidence += wait.service.empty() ? "." : ", and the host cannot stop.";
    finding.command = "tasks";
    finding.impact = static_cast<double>(wait.count) / static_cast<double>(all);
    findings.push_back(std::move(finding));
  }
}

}  // namespace

void JudgeLostRequests(const TaskReport& report, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
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
  JudgeOrphanedWaits(report, findings);
}

}  // namespace hindsight::analyzer
