// How long the application stood still, as the analysis of collections judges it.
#include <algorithm>

#include "analyzer/analyses/gc/gc_words.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string KindOf(GcFinding::Kind kind) {
  std::string out(GcFindingKey(kind));
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

Finding FindingOf(const GcReport& report, const GcFinding& found) {
  const GcSentences words = DescribeGcFinding(report, found);
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = KindOf(found.kind);
  finding.title = words.title;
  if (found.cost_ns > 0) {
    finding.title += ": " + FormatPercent(report.ShareOfTime(found.cost_ns)) +
                     " of the time, the longest " + FormatDuration(found.longest_ns);
  }
  finding.evidence = words.evidence;
  finding.command = "gc";
  finding.impact = std::min(1.0, report.ShareOfTime(found.cost_ns));
  return finding;
}

}  // namespace

Coverage JudgePauses(const Reports& reports, const OverviewRules&, std::vector<Finding>& findings) {
  if (!reports.events) return NotRecorded("gc");
  const GcReport& report = reports.events->gc;
  if (report.all.count == 0 && !report.model->facts.gc_on) return NotRecorded("gc");
  // Notes of the collector are for who looks at it anyway.
  for (const GcFinding& found : report.findings) {
    if (found.severity != GcFinding::Severity::kNote) findings.push_back(FindingOf(report, found));
  }
  Coverage coverage;
  if (report.all.count == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No collection, and no other pause.";
    return coverage;
  }
  coverage.looked_at = Plural(report.collections, "collection") + ", pauses of " +
                       FormatPercent(report.ShareOfTime(report.all.total_ns)) +
                       " of the time, the longest " +
                       FormatDuration(report.all.longest.suspension->total_ns);
  if (report.detailed == 0 && report.collections > 0) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "Why collections ran and what they left is not here: record with `sources=gc`.";
  }
  return coverage;
}

}  // namespace hindsight::analyzer
