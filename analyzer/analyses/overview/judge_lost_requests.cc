// Requests that nothing can complete any more. Their clients wait until they give up, and if they
// do, the server does not notice.
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

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
}

}  // namespace hindsight::analyzer
