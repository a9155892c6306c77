#include "analyzer/analyses/threads.h"

#include <algorithm>

namespace hindsight::analyzer {

ThreadReport AnalyzeThreads(const Model& model, const ThreadStackRules& rules) {
  ThreadReport report(model);
  const bool breaks_off = model.facts.end == EndReason::kBrokeOff;
  for (ThreadIndex i = 1; i < model.threads.size(); ++i) {
    const ThreadInfo& thread = model.threads[i];
    ThreadFinding finding;
    finding.thread = i;
    finding.has_start = thread.has_start && !thread.seen_alive;
    finding.start_ns = thread.has_start ? thread.start_ns : 0;
    finding.has_end = thread.has_end;
    finding.end_ns = thread.has_end ? thread.end_ns : model.facts.last_ns;
    finding.lifetime_ns =
        static_cast<uint64_t>(std::max<int64_t>(0, finding.end_ns - finding.start_ns));
    finding.throws = thread.throws;
    if (thread.has_end) {
      finding.state = ThreadFinding::State::kEnded;
    } else if (!breaks_off) {
      finding.state = ThreadFinding::State::kAlive;
    } else {
      const auto& open = model.exceptions.open;
      const bool in_flight = std::any_of(open.begin(), open.end(),
                                         [i](const OpenException& e) { return e.thread == i; });
      finding.state = in_flight ? ThreadFinding::State::kInFlight : ThreadFinding::State::kUnknown;
    }
    report.findings.push_back(finding);
  }
  std::stable_sort(
      report.findings.begin(), report.findings.end(),
      [](const ThreadFinding& a, const ThreadFinding& b) { return a.start_ns < b.start_ns; });
  report.thread_stacks = AnalyzeThreadStacks(model, rules);
  report.unknown_throws = model.threads.front().throws;
  return report;
}

}  // namespace hindsight::analyzer
