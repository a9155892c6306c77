// Errors that nobody notices: no handler saw them, or they stayed in a task or a dataflow block.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {

// Errors that no handler ever saw, and that did not end the process either.
void JudgeLost(const ExceptionReport& report, std::vector<Finding>& findings) {
  const auto ended = [&report](Ending ending) {
    return report.endings[static_cast<size_t>(ending)];
  };
  const uint64_t replaced = ended(Ending::kReplaced), filtered = ended(Ending::kLostInFilter);
  const uint64_t lost = replaced + filtered;
  if (lost == 0) return;
  Finding finding;
  finding.kind = "lost-exceptions";
  finding.title =
      Plural(lost, "exception") + " lost: no handler saw " + (lost == 1 ? "it" : "them");
  const auto add = [&finding](uint64_t count, std::string_view what) {
    if (count == 0) return;
    if (!finding.evidence.empty()) finding.evidence += ", ";
    finding.evidence += FormatCount(count) + " " + std::string(what);
  };
  add(replaced, "replaced by another one in a finally block");
  add(filtered, "thrown in an exception filter");
  finding.evidence += ".";
  finding.command = "exceptions";
  findings.push_back(std::move(finding));
}

// An error of yours ends the dataflow block that ran it: the block declines all further messages,
// and whoever posts them need not notice. Those that the block's reader awaits are rethrown there.
void JudgeFaultedBlocks(const ExceptionReport& report, std::vector<Finding>& findings) {
  for (const ExceptionFinding& found : report.findings) {
    if (found.faulted_blocks == 0 || !found.place.is_yours || found.is_rest ||
        IsCancellation(report.names.RawType(found.type))) {
      continue;
    }
    const std::string type = report.names.Type(found.type);
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = "faulted-block";
    finding.subject = report.names.Display(found.place.site);
    finding.title = type + " in " + finding.subject + " ended " +
                    (found.faulted_blocks == 1 ? "a dataflow block"
                                               : Plural(found.faulted_blocks, "dataflow block"));
    finding.evidence =
        "After an error, a block takes no more messages: `Post` returns false. "
        "No await of its Completion threw the error again.";
    finding.evidence += MessageText("The first message", found);
    finding.command = CommandWith("exceptions --type", type);
    finding.impact = 0.5;  // how much work there is for it is not known
    findings.push_back(std::move(finding));
  }
}

// Errors of yours that stayed in tasks. Libraries do that by design, and inspect Task.Exception;
// and a canceled task is not an error, so it need not be awaited. Returns the exceptions that the
// finding says enough about, because most of them stayed in tasks; null: none.
const ExceptionFinding* JudgeNeverAwaited(const ExceptionReport& report, const OverviewRules& rules,
                                          std::vector<Finding>& findings) {
  uint64_t count = 0, most = 0;
  const ExceptionFinding* first = nullptr;
  for (const ExceptionFinding& found : report.findings) {
    if (!found.place.is_yours || IsCancellation(report.names.RawType(found.type))) continue;
    const uint64_t in_tasks = found.never_awaited - found.faulted_blocks;
    // A few of many were on their way when the recording ended.
    if (in_tasks * 100 < found.group.count) continue;
    count += in_tasks;
    if (in_tasks <= most) continue;
    most = in_tasks;
    first = &found;
  }
  if (first == nullptr) return nullptr;
  const double seconds = SecondsOf(*report.model);
  const bool is_ill = count >= rules.failing_work &&
                      static_cast<double>(count) >= rules.failing_work_per_second * seconds;
  Finding finding;
  finding.severity = is_ill ? Severity::kWarning : Severity::kNote;
  finding.kind = "never-awaited";
  finding.title = Plural(count, "exception") + " stayed in " + (count == 1 ? "a task" : "tasks") +
                  " that no await threw again";
  finding.evidence = (most == count ? "" : FormatCount(most) + " of them: ") +
                     report.names.Type(first->type) + ", thrown " + ThrownIn(report, *first) +
                     ". No one notices unless something reads Task.Exception.";
  finding.evidence += MessageText("The first message", *first);
  finding.command = "exceptions";
  const double rate = static_cast<double>(count) / seconds;
  finding.impact = rate / (1 + rate) / 2;
  findings.push_back(std::move(finding));
  return 2 * most >= first->group.count ? first : nullptr;
}

}  // namespace hindsight::analyzer
