// Jobs and messages that fail: a library calls your code for each, and catches what it throws. All
// that can be seen from outside is that the work is not done, or is retried again and again.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/prefixes.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Exceptions of one place of yours that end in a package's code.
struct FailingWork {
  const ExceptionFinding* finding = nullptr;
  uint64_t count = 0;    // including those that are wrapped by others and end there in these
  MethodId handler = 0;  // of most; 0: unknown
  std::vector<size_t> wrappers;  // indexes in the report
};

// A test framework: what it catches is expected, or it reports the test as failed.
bool IsOfTests(const ExceptionReport& report, MethodId handler) {
  if (handler == 0) return false;
  return StartsWithAny(report.names.Display(handler),
                       {"Xunit.", "NUnit.", "TUnit.", "Microsoft.VisualStudio.TestTools."});
}

FailingWork WorkOf(const ExceptionReport& report, const ExceptionFinding& found) {
  FailingWork work;
  work.finding = &found;
  work.count = found.ended_in_packages;
  work.handler = found.package_handler;
  uint64_t most = work.count;
  for (const Relation& relation : found.wrappers) {
    if (relation.finding == 0 || relation.finding > report.findings.size()) continue;
    const ExceptionFinding& wrapper = report.findings[relation.finding - 1];
    const uint64_t count = std::min(relation.count, wrapper.ended_in_packages);
    if (&wrapper == &found || wrapper.place.is_yours || count == 0) continue;
    work.count += count;
    work.wrappers.push_back(relation.finding - 1);
    if (count <= most) continue;
    most = count;
    work.handler = wrapper.package_handler;
  }
  return work;
}

Finding FindingOf(const ExceptionReport& report, const FailingWork& work, Severity severity) {
  const ExceptionFinding& found = *work.finding;
  const double seconds = SecondsOf(*report.model);
  const std::string site = report.names.Display(found.place.site);
  Finding finding;
  finding.severity = severity;
  finding.kind = "failing-work";
  finding.subject = report.names.Type(found.type);
  finding.title = site + " fails " + FormatRate(static_cast<double>(work.count) / seconds) +
                  " times a second with " + finding.subject;
  finding.evidence = FormatCount(work.count) + " exceptions";
  if (found.place.through != 0) {
    finding.evidence += ", thrown by " + report.names.Display(found.place.through) + ",";
  }
  if (work.handler != 0) {
    finding.evidence += " caught in " + report.names.Display(work.handler) + ", which called it";
  }
  finding.evidence += ". Whether it tries again is not recorded.";
  finding.evidence += MessageText("The first message", found);
  finding.command = CommandWith("exceptions --type", finding.subject);
  // How much of the work that is, is unknown.
  const double rate = static_cast<double>(work.count) / seconds;
  finding.impact = rate / (1 + rate) / 2;
  return finding;
}

}  // namespace

std::vector<bool> JudgeFailingWork(const ExceptionReport& report, const OverviewRules& rules,
                                   std::vector<Finding>& findings) {
  std::vector<bool> reported(report.findings.size());
  const double seconds = SecondsOf(*report.model);
  std::vector<FailingWork> all;
  for (const ExceptionFinding& found : report.findings) {
    const std::string& type = report.names.RawType(found.type);
    if (!found.place.is_yours || found.is_rest || found.is_unhandled() || IsCancellation(type) ||
        IsClientsDoing(type)) {
      continue;
    }
    const FailingWork work = WorkOf(report, found);
    if (work.count < rules.failed_work ||
        static_cast<double>(work.count) * 60 < rules.failed_work_per_minute * seconds) {
      continue;
    }
    if (IsOfTests(report, work.handler)) {
      reported[static_cast<size_t>(&found - report.findings.data())] = true;
    } else {
      all.push_back(work);
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FailingWork& a, const FailingWork& b) { return a.count > b.count; });
  if (all.size() > rules.failing_work_reported) all.resize(rules.failing_work_reported);
  for (const FailingWork& work : all) {
    reported[static_cast<size_t>(work.finding - report.findings.data())] = true;
    for (const size_t wrapper : work.wrappers) reported[wrapper] = true;
    const bool is_ill = work.count >= rules.failing_work &&
                        static_cast<double>(work.count) >= rules.failing_work_per_second * seconds;
    findings.push_back(FindingOf(report, work, is_ill ? Severity::kWarning : Severity::kNote));
  }
  return reported;
}

}  // namespace hindsight::analyzer
