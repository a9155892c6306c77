// What the processors were used for, and what was allocated.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// "78 ±4 %"
std::string ShareText(const Share& share) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.0f \xc2\xb1%.0f %%", share.value * 100, share.error * 100);
  return text;
}

// The innermost method of the application's on the way down from the root on which every call has
// enough of all.
struct HotMethod {
  FrameId frame = 0;  // 0: there is none
  PathWeight total;
};

HotMethod FindHotMethod(const Dictionaries& dictionaries, const CallPaths& paths,
                        const OverviewRules& rules) {
  CodeKinds kinds(dictionaries);
  const PathChildren children(paths);
  const double whole = paths.nodes[0].total.amount;
  HotMethod hot;
  bool is_first = true;
  uint32_t at = 0;
  for (auto next = children.Of(at); !next.empty(); next = children.Of(at)) {
    at = next.front();
    const PathNode& node = paths.nodes[at];
    if (node.total.amount < rules.hot_share * whole) break;
    const PathFrame& frame = paths.frames[node.frame];
    if (frame.kind != PathFrame::Kind::kMethod || frame.method == 0) continue;
    if (FrameKindOf(dictionaries, kinds, frame.method) != FrameKind::kApplication) continue;
    const bool begins_thread = std::exchange(is_first, false);
    if (begins_thread && node.self.amount < rules.hot_self * whole) continue;
    hot = {node.frame, node.total};
  }
  return hot;
}

}  // namespace

Coverage JudgeCpu(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.cpu_on) return NotRecorded("cpu");
  const CpuProfileReport& report = reports.events->cpu;
  Coverage coverage;
  if (report.whole.samples == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "The process waited: no thread ran for as long as the time between samples.";
    return coverage;
  }
  coverage.looked_at = Plural(report.whole.samples, "sample") + ", " +
                       FormatDuration(static_cast<uint64_t>(report.whole.amount)) +
                       " of CPU time, " + FormatRate(report.cores) + " cores";
  if (report.whole.samples < rules.cpu_samples) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "So few samples show the largest parts only.";
    return coverage;
  }
  if (report.cores < rules.hot_cores) return coverage;
  const HotMethod hot = FindHotMethod(report.model->dictionaries, report.paths, rules);
  if (hot.frame == 0) return coverage;
  const double cpus = report.model->facts.cpus;
  const bool takes_all = cpus > 0 && report.cores >= rules.busy_cpus * cpus;
  Finding finding;
  finding.severity = takes_all ? Severity::kWarning : Severity::kNote;
  finding.kind = "hot-path";
  finding.subject = report.paths.frames[hot.frame].name;
  finding.title = finding.subject + " takes " + ShareText(ShareOf(hot.total, report.whole)) +
                  " of the CPU time";
  finding.evidence = "The process used " + FormatRate(report.cores) +
                     (cpus > 0 ? " of " + FormatRate(cpus) + " CPUs; " : " CPUs; ") +
                     Plural(hot.total.samples, "sample") + " of " +
                     FormatCount(report.whole.samples) + " are in it and what it calls.";
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact =
      std::min(1.0, hot.total.amount / report.whole.amount * (cpus > 0 ? report.cores / cpus : 1));
  findings.push_back(std::move(finding));
  return coverage;
}

Coverage JudgeAllocations(const Reports& reports, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.allocations_on) {
    return NotRecorded("allocations");
  }
  const AllocationReport& report = reports.events->allocations;
  Coverage coverage;
  if (report.whole.samples == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "Less was allocated than lies between two samples.";
    return coverage;
  }
  const double seconds = SecondsOf(*report.model);
  const auto bytes = [](double amount) { return FormatBytes(static_cast<uint64_t>(amount)); };
  coverage.looked_at = Plural(report.whole.samples, "sample") + " for " +
                       bytes(report.whole.amount) + ", " + bytes(report.whole.amount / seconds) +
                       "/s";
  if (report.types.empty()) return coverage;
  const AllocatedType& top = report.types.front();
  const Share share = ShareOf(top.weight, report.whole);
  if (top.weight.amount / seconds < rules.much_allocated_per_second ||
      share.value < rules.much_of_allocations || top.weight.samples < kFewSamples) {
    return coverage;
  }
  const GcReport& gc = reports.events->gc;
  const double pauses = gc.ShareOfTime(gc.collecting.total_ns);
  Finding finding;
  finding.severity = pauses >= rules.notable_pauses ? Severity::kWarning : Severity::kNote;
  finding.kind = "hot-type";
  finding.subject = top.name;
  finding.title = top.name + ": " + bytes(top.weight.amount / seconds) + "/s allocated, " +
                  ShareText(share) + " of all";
  finding.evidence = top.site != 0 ? "Most of it in " + report.paths.frames[top.site].name
                                   : "By " + Plural(top.weight.samples, "sample");
  finding.evidence += "; collections took " + FormatPercent(pauses) + " of the time.";
  finding.command = CommandWith("allocations --type", top.name);
  finding.impact = std::min(1.0, share.value * pauses);
  findings.push_back(std::move(finding));
  return coverage;
}

}  // namespace hindsight::analyzer
