// Work that fails at a steady rate, and whose own code catches that: it tries again and again,
// without an end. A note, unless it is as frequent as a storm: what it waits for may be allowed to
// be missing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Whether it occurs in all parts of the recording, about as often in each.
bool IsSteady(const ExceptionReport& report, const ExceptionFinding& found) {
  constexpr uint32_t kParts = 10;
  const std::vector<double> parts =
      found.group.times.Resampled(report.from_ns, report.to_ns, kParts);
  const double mean = static_cast<double>(found.group.count) / kParts;
  return std::ranges::all_of(
      parts, [mean](double count) { return count >= mean / 2 && count <= mean * 2; });
}

}  // namespace

void JudgeRetryLoops(const ExceptionReport& report, const OverviewRules& rules,
                     std::vector<bool>& reported, std::vector<Finding>& findings) {
  const Model& model = *report.model;
  const double seconds = SecondsOf(model);
  if (seconds < rules.retry_seconds) return;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& found = report.findings[i];
    const MethodId method = found.place.is_yours ? found.place.site : found.thrown_again_in;
    const uint64_t caught = found.swallowed + found.swallowed_async;
    // Requests may be as steady.
    const bool is_of_requests = found.group.count <= 2 * model.requests.finished;
    if (reported[i] || found.is_rest || method == 0 || is_of_requests ||
        found.group.count < rules.retries || 10 * caught < 9 * found.group.count ||
        IsCancellation(report.names.RawType(found.type)) || !IsSteady(report, found)) {
      continue;
    }
    reported[i] = true;
    const double rate = static_cast<double>(found.group.count) / seconds;
    Finding finding;
    finding.severity = rate >= rules.storm_per_second ? Severity::kWarning : Severity::kNote;
    finding.kind = "retry-loop";
    finding.subject = report.names.Display(method);
    finding.title = finding.subject + " fails again and again: " + report.names.Type(found.type) +
                    ", " + FormatRate(rate) + "/s";
    finding.evidence = Plural(found.group.count, "exception") +
                       ", as many at the end of the recording as at its start, and all caught.";
    finding.evidence += MessageText("The first message", found);
    finding.command = CommandWith("exceptions --type", report.names.Type(found.type));
    finding.impact = rate / (1 + rate) / 2;
    finding.is_doubt = model.requests.started == 0;  // nothing shows that the process does its work
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
