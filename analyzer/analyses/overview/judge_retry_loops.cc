// Work that fails at a steady rate, and whose own code catches that: it tries again and again,
// without an end. A note, unless it is as frequent as a storm: what it waits for may be allowed to
// be missing. Requests may be as steady, so what they catch is only reported if it is a timeout:
// then somebody waited in vain.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// When it occurred first, if from then on it occurs in all parts of the recording, about as often
// in each. What fails with a timeout fails for the first time after it.
std::optional<int64_t> SteadySince(const ExceptionReport& report, const ExceptionFinding& found,
                                   const OverviewRules& rules) {
  constexpr uint32_t kParts = 10;
  constexpr double kUneven = 3;
  const int64_t first_ns = std::clamp(found.group.first_ns, report.from_ns, report.to_ns);
  if (report.to_ns - first_ns < static_cast<int64_t>(rules.retry_steady_seconds * 1e9)) {
    return std::nullopt;
  }
  const double mean = static_cast<double>(found.group.count) / kParts;
  for (const double count : found.group.times.Resampled(first_ns, report.to_ns, kParts)) {
    if (count < mean / kUneven || count > mean * kUneven) return std::nullopt;
  }
  return first_ns;
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
    const std::string& type = report.names.RawType(found.type);
    const bool is_of_requests = found.group.count <= 2 * model.requests.finished;
    if (reported[i] || found.is_rest || method == 0 || (is_of_requests && !IsTimeout(type)) ||
        found.group.count < rules.retries || 10 * caught < 9 * found.group.count ||
        IsCancellation(type)) {
      continue;
    }
    const std::optional<int64_t> since_ns = SteadySince(report, found, rules);
    if (!since_ns) continue;
    reported[i] = true;
    const double rate = static_cast<double>(found.group.count) * 1e9 /
                        static_cast<double>(report.to_ns - *since_ns);
    Finding finding;
    finding.severity = rate >= rules.storm_per_second ? Severity::kWarning : Severity::kNote;
    finding.kind = "retry-loop";
    finding.subject = report.names.Display(method);
    finding.title =
        finding.subject +
        (is_of_requests ? " runs into a timeout again and again: " : " fails again and again: ") +
        report.names.Type(found.type) + ", " + FormatRate(rate) + "/s";
    const bool is_late = 10 * (*since_ns - report.from_ns) > report.to_ns - report.from_ns;
    finding.evidence = Plural(found.group.count, "exception") +
                       (is_late ? ", the first at " + FormatMoment(*since_ns) +
                                      " and as many ever since, and all caught."
                                : ", as many at the end of the recording as at its start, and all "
                                  "caught.");
    finding.evidence += MessageText("The first message", found);
    finding.command = CommandWith("exceptions --type", report.names.Type(found.type));
    finding.impact = rate / (1 + rate) / 2;
    // Nothing shows that the process does its work.
    finding.is_doubt = finding.severity == Severity::kNote && model.requests.started == 0;
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
