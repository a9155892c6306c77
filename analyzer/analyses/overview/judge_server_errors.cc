// Requests that the application answers with a server error by itself: in a middleware that catches
// everything, or without any exception. From the server's own count.
#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/failed_requests.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Those of which no exception is known that the server, or a handler of its framework, caught. What
// looks like the end of a request whose client went away is none of these: nobody is answered then
// (Kestrel ends such a request with 499).
uint64_t AnsweredByYou(const ExceptionReport& report) {
  const Requests& requests = report.model->requests;
  const uint64_t errors = std::min(requests.server_errors.value_or(0), requests.finished);
  const uint64_t failed = requests.failed - std::min(requests.failed, report.ended_by_client);
  return errors - std::min(errors, std::max(failed, report.ended_requests));
}

// The exceptions that may be why: about as many as these requests. nullptr: none.
const ExceptionFinding* CauseOf(uint64_t count, const ExceptionReport& report,
                                const OverviewRules& rules) {
  const ExceptionFinding* cause = nullptr;
  for (const ExceptionFinding& found : report.findings) {
    const auto of_each = static_cast<double>(found.group.count) / static_cast<double>(count);
    const bool is_cancellation = IsCancellation(report.names.RawType(found.type));
    if (found.is_rest || found.is_unhandled() || of_each < 1 - rules.caused_errors) continue;
    // Of cancellations, some may be a client's.
    if (is_cancellation ? found.ended_by_client < count : of_each > 1 + rules.caused_errors) {
      continue;
    }
    if (cause == nullptr || (found.place.is_yours && !cause->place.is_yours)) cause = &found;
  }
  return cause;
}

// Whether there were none in the second half of the time.
bool HaveEnded(const Model& model) {
  const Requests& requests = model.requests;
  return requests.last_error_ns > 0 && requests.last_error_ns < model.facts.last_ns / 2 &&
         !requests.samples.empty() && requests.samples.back().at_ns > model.facts.last_ns / 2;
}

}  // namespace

void JudgeServerErrors(const ExceptionReport& report, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
  if (SeesRequests(*report.model)) return;
  const uint64_t count = AnsweredByYou(report);
  const auto served = static_cast<double>(report.model->requests.finished);
  if (count < rules.failed_requests || static_cast<double>(count) < rules.failed_share * served) {
    return;
  }
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "failed-requests";
  finding.title = RequestsText(count, report) + " were answered with a server error (500 or above)";
  std::string message;
  if (const ExceptionFinding* const cause = CauseOf(count, report, rules); cause != nullptr) {
    finding.subject = report.names.Type(cause->type);
    std::erase_if(findings, [&finding](const Finding& other) {
      return other.subject == finding.subject &&
             (other.kind == "storm" || other.kind == "dominant-exception");
    });
    finding.title += ": probably " + finding.subject;
    finding.evidence =
        Plural(cause->group.count, "such exception") + " thrown " + ThrownIn(report, *cause);
    if (!cause->catchers.empty() && cause->catchers.front().method != 0) {
      finding.evidence += ", caught in " + report.names.Display(cause->catchers.front().method);
    }
    finding.evidence += ".";
    if (IsCancellation(report.names.RawType(cause->type))) {
      finding.evidence +=
          " The clients were answered, so they had not gone away: a timeout of the application has "
          "run out (a CancellationTokenSource with a time, for example), or it cancels by itself.";
    }
    message = MessageText("The first message", *cause);
    finding.command = CommandWith("exceptions --type", finding.subject);
  } else {
    finding.evidence = "The application answers so by itself: no exception reached the server.";
    finding.command = "requests";
  }
  finding.evidence += " The server counted the answers; `requests.routes=on` records their routes.";
  if (HaveEnded(*report.model)) {
    finding.WarnUnlessDoubt(true);
    finding.evidence +=
        " The last of them was at " + FormatMoment(report.model->requests.last_error_ns) + ".";
  }
  finding.evidence += message;
  finding.impact = std::min(1.0, static_cast<double>(count) / served);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
