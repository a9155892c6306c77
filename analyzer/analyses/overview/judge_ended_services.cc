// Hosted services that have ended: the host catches what a BackgroundService throws, and does not
// start it again. What the service was there for is no longer done. An exception during the
// recording shows it, or else a heap snapshot.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kEndedService = "ended-service";
constexpr double kImpact = 0.5;  // how much work there is for a service is not known

// Microsoft.Extensions.Hosting 8 to 10: the method, or its state machine.
bool EndsService(const Dictionaries& dictionaries, MethodId method) {
  constexpr std::string_view kHost = "Microsoft.Extensions.Hosting.Internal.Host",
                             kRun = "TryExecuteBackgroundServiceAsync";
  const Method& of = dictionaries.method(method);
  const std::string_view type = dictionaries.String(dictionaries.type(of.type).name);
  return type.starts_with(kHost) &&
         (type.find(kRun) != type.npos || dictionaries.String(of.name).find(kRun) != type.npos);
}

uint64_t EndedBy(const ExceptionReport& report, const ExceptionFinding& found) {
  const Dictionaries& dictionaries = report.model->dictionaries;
  uint64_t ended = 0;
  for (const auto& entry : found.group.swallowers.entries()) {
    if (EndsService(dictionaries, dictionaries.handler(entry.key).method)) {
      ended += entry.at_least();
    }
  }
  return ended;
}

}  // namespace

void JudgeEndedServices(const ExceptionReport& report, std::vector<bool>& reported,
                        std::vector<Finding>& findings) {
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& found = report.findings[i];
    if (found.is_rest || IsCancellation(report.names.RawType(found.type))) continue;
    const uint64_t ended = EndedBy(report, found);
    if (ended == 0) continue;
    if (ended == found.group.count) reported[i] = true;
    const std::string type = report.names.Type(found.type);
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = kEndedService;
    const std::string site =
        found.place.site == 0 ? std::string() : report.names.Display(found.place.site);
    finding.subject = site.empty() ? type : site;
    finding.title = type + (site.empty() ? "" : " in " + site) + " ended " +
                    (ended == 1 ? "a BackgroundService" : Plural(ended, "BackgroundService"));
    finding.evidence =
        FormatDuration(static_cast<uint64_t>(std::max<int64_t>(0, found.group.first_ns))) +
        " after the start of the recording. The host does not start it again, and "
        "by default stops the application; catch what one round of work may throw.";
    finding.evidence += MessageText("The message", found);
    finding.command = CommandWith("exceptions --type", type);
    finding.impact = kImpact;
    findings.push_back(std::move(finding));
  }
}

void JudgeEndedServices(const TaskReport& report, std::vector<Finding>& findings) {
  for (const EndedService& service : report.ended_services) {
    const bool has_failed = service.end == EndedService::End::kFaulted;
    if (!has_failed && !service.is_yours) continue;
    const bool is_known = std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.kind == kEndedService && finding.subject.starts_with(service.type);
    });
    if (is_known) continue;
    Finding finding;
    // Some do their work once.
    finding.severity = has_failed ? Severity::kWarning : Severity::kNote;
    finding.signal = Signal::kTasks;
    finding.kind = kEndedService;
    finding.subject = service.type;
    finding.title = has_failed ? "An exception has ended the background service " + service.type
                               : "The background service " + service.type + " has ended";
    finding.evidence = has_failed ? "The host does not start it again."
                       : service.end == EndedService::End::kCanceled
                           ? "It was canceled, but the host goes on."
                           : "Its ExecuteAsync returned, but the host goes on.";
    finding.command = "tasks";
    finding.impact = kImpact;
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
