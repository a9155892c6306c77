// Requests that the server counts as failed, and that no exception in the recording explains: an
// exception that something keeps is thrown again for each of them, but it is still one.
#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

uint64_t Rethrows(const ExceptionFinding& found) {
  return found.group.Throws() - std::min(found.group.Throws(), found.group.count);
}

// Requests that failed without an exception of their own.
uint64_t Unexplained(const ExceptionReport& report) {
  const uint64_t only_counted = report.endings[static_cast<size_t>(Ending::kCaught)];
  const uint64_t explained = report.ended_requests + report.ended_by_client + only_counted;
  const uint64_t failed = report.model->requests.failed;
  return failed - std::min(failed, explained);
}

}  // namespace

void JudgeKeptExceptions(const ExceptionReport& report, const OverviewRules& rules,
                         std::vector<Finding>& findings) {
  const Requests& requests = report.model->requests;
  const uint64_t failed = Unexplained(report);
  const auto share =
      static_cast<double>(failed) / static_cast<double>(std::max<uint64_t>(1, requests.finished));
  // Events that were lost may explain them; and of many that fail, the ends of a few are missed.
  const double missed = rules.missed_ends * static_cast<double>(requests.failed);
  if (failed < rules.failed_requests || share < rules.failed_share ||
      static_cast<double>(failed) < missed || report.model->losses.MayHideEvents()) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "failed-requests";
  finding.title = Plural(failed, "request") + " of " + FormatCount(requests.finished) + " (" +
                  FormatPercent(std::min(1.0, share)) + ") failed with an exception";
  finding.evidence = "The server counted them.";
  finding.command = "exceptions";
  finding.impact = std::min(1.0, share);
  const auto most = std::ranges::max_element(report.findings, {}, Rethrows);
  if (most != report.findings.end() && !most->is_rest && Rethrows(*most) >= failed &&
      most->group.count < failed) {
    finding.subject = report.names.Type(most->type);
    finding.title += " that something keeps and throws again: " + finding.subject;
    finding.evidence += " " + Plural(most->group.count, "such exception") + " in " +
                        FormatCount(most->group.Throws()) +
                        (most->group.count == 1 ? " throws was" : " throws were") +
                        " recorded; Lazy<T>, cached tasks and static constructors keep theirs.";
    finding.evidence += MessageText("The message", *most);
    finding.command = CommandWith("exceptions --type", finding.subject);
  } else {
    finding.evidence += " The recording has no exceptions for them.";
  }
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
