// Loops that wait by running: they ask again and again whether there is something to do, and use up
// a processor for it.
#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// What such a loop calls in each round. The class library itself also spins for a moment before it
// waits, so only what your code calls by itself counts.
struct Pause {
  std::string_view prefix;
  std::string_view what;
};
constexpr Pause kPauses[] = {
    {"System.Runtime.CompilerServices.YieldAwaitable.YieldAwaiter.", "awaits Task.Yield"},
    {"System.Threading.SpinWait.", "spins"},
    {"System.Threading.SpinLock.", "spins for a SpinLock"},
    {"System.Threading.Thread.SpinWait", "spins"},
    {"System.Threading.Thread.Yield", "calls Thread.Yield"},
};

struct Polling {
  FrameId method = 0;  // of yours; 0: there is none
  PathWeight pauses;
  std::string_view what;
};

Polling MostPolling(const CpuProfileReport& report) {
  const CallPaths& paths = report.paths;
  Polling most;
  for (const Pause& pause : kPauses) {
    WeightByFrame by_method;
    for (size_t i = 1; i < paths.nodes.size(); ++i) {
      const PathNode& node = paths.nodes[i];
      const uint32_t owner = report.own.owners[node.parent];
      if (owner == 0 || owner != node.parent) continue;
      if (!paths.frames[node.frame].name.starts_with(pause.prefix)) continue;
      by_method[paths.nodes[owner].frame] += node.total;
    }
    const auto [method, weight] = Heaviest(by_method);
    if (weight.amount > most.pauses.amount) most = {method, weight, pause.what};
  }
  return most;
}

}  // namespace

std::string JudgePolling(const EventReports& events, const OverviewRules& rules,
                         std::vector<Finding>& findings) {
  const CpuProfileReport& report = events.cpu;
  const Polling most = MostPolling(report);
  if (most.method == 0 || most.pauses.samples < kFewSamples ||
      most.pauses.amount < rules.polling_share * report.whole.amount) {
    return {};
  }
  const auto hot = std::ranges::find(report.own.methods, most.method, &OwnMethod::frame);
  const PathWeight total = hot != report.own.methods.end() ? hot->total : most.pauses;
  Finding finding;
  finding.severity = Severity::kWarning;
  finding.kind = "polling";
  finding.subject = report.paths.frames[most.method].name;
  finding.title = finding.subject + " " + std::string(most.what) +
                  " in a loop: " + ShareText(ShareOf(total, report.whole)) + " of the CPU time";
  finding.evidence = "The process used " + FormatRate(report.cores) + " cores; " +
                     Plural(most.pauses.samples, "sample") + " of " +
                     FormatCount(report.whole.samples) + " are in that call. ";
  const double seconds = SecondsOf(events.model);
  if (const double items = static_cast<double>(events.pool.completed) / seconds;
      items >= rules.polling_items) {
    finding.evidence += "The thread pool ran " + FormatRate(items) + " work items a second. ";
  }
  finding.evidence +=
      "It runs while it waits. Let it wait for a channel, a semaphore or an event, or use a "
      "PeriodicTimer.";
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact = ImpactOf(report, total);
  findings.push_back(std::move(finding));
  return findings.back().subject;
}

}  // namespace hindsight::analyzer
