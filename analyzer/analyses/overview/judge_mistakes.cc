// Exceptions that no program means to throw, and that your code catches again and again: what they
// stop is not done, and nobody notices.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Thrown by the runtime for what no code means to do; or by an object that is gone. Sockets,
// streams and semaphores are disposed to end what waits for them: what belongs to System says
// little.
bool IsMistake(const ExceptionReport& report, const ExceptionFinding& found) {
  const std::string& type = report.names.RawType(found.type);
  if (type == "System.ObjectDisposedException") {
    return found.place.through != 0 &&
           !report.names.Display(found.place.through).starts_with("System.");
  }
  return type == "System.NullReferenceException" || type == "System.IndexOutOfRangeException" ||
         type == "System.InvalidCastException";
}

}  // namespace

void JudgeMistakes(const ExceptionReport& report, const OverviewRules& rules,
                   std::vector<bool>& reported, std::vector<Finding>& findings) {
  const double seconds = SecondsOf(*report.model);
  uint64_t count = 0;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& found = report.findings[i];
    const auto thrown = static_cast<double>(found.group.count);
    if (reported[i] || found.is_rest || found.is_unhandled() || !found.place.is_yours ||
        found.ended_requests > 0 || found.group.count < rules.mistakes ||
        60 * thrown < rules.mistakes_per_minute * seconds || !IsMistake(report, found) ||
        IsWithinLibrary(found)) {
      continue;
    }
    reported[i] = true;
    if (++count > rules.mistakes_reported) continue;
    Finding finding;
    finding.is_doubt = true;
    finding.kind = "caught-mistake";
    finding.subject = report.names.Type(found.type);
    finding.title = finding.subject + ", thrown " + ThrownIn(report, found) + ": " +
                    FormatRate(thrown / seconds) + "/s";
    finding.evidence =
        FormatCount(found.group.count) +
        ", all of them caught or left in a task, but what they stopped is not done." +
        MessageText("The first message", found);
    finding.command = CommandWith("exceptions --type", finding.subject);
    finding.impact = std::min(1.0, thrown / seconds / 10);
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
