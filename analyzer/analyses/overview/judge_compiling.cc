// The JIT compiler, long after the start of the process: code that is generated again and again.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_age.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

// A method of yours with the time of the compiler below it.
struct CompilingMethod {
  FrameId frame = 0;  // 0: there is none
  PathWeight compiling;
  FrameId caller = 0;  // of others, whose call most of that is; 0: none
  PathWeight of_caller;
};

// By what owns the caller of the compiler (own_methods.h): the method with most.
CompilingMethod MostCompiling(const CpuProfileReport& report) {
  const CallPaths& paths = report.paths;
  WeightByFrame by_method;
  std::unordered_map<FrameId, WeightByFrame> callers;
  for (const PathNode& node : paths.nodes) {
    if (paths.frames[node.frame].name != kCompilingFrame) continue;
    const uint32_t owner = report.own.owners[node.parent];
    if (owner == 0) continue;
    const FrameId method = paths.nodes[owner].frame;
    by_method[method] += node.self;
    if (owner != node.parent) callers[method][paths.nodes[node.parent].frame] += node.self;
  }
  CompilingMethod most;
  std::tie(most.frame, most.compiling) = Heaviest(by_method);
  std::tie(most.caller, most.of_caller) = Heaviest(callers[most.frame]);
  return most;
}

// Methods compiled per second; 0: unknown.
double CompiledPerSecond(const std::vector<JitState>& states, int64_t from_ns) {
  const auto first = std::ranges::lower_bound(states, from_ns, {}, &JitState::at_ns);
  if (first == states.end() || states.back().at_ns <= first->at_ns) return 0;
  return static_cast<double>(states.back().methods - first->methods) * 1e9 /
         static_cast<double>(states.back().at_ns - first->at_ns);
}

// Whether many methods are compiled, and no fewer in the end: what a start needs becomes less.
bool CompilesEvenly(const std::vector<JitState>& states, const OverviewRules& rules) {
  if (states.empty()) return false;
  const int64_t first_ns = states.front().at_ns, length_ns = states.back().at_ns - first_ns;
  if (length_ns < static_cast<int64_t>(rules.even_compiling_ns)) return false;
  const auto compiled_until = [&](int64_t part) {
    const int64_t at_ns = first_ns + length_ns * part / 3;
    return std::prev(std::ranges::upper_bound(states, at_ns, {}, &JitState::at_ns))->methods;
  };
  uint64_t least = UINT64_MAX, most = 0;
  for (int64_t part = 0; part < 3; ++part) {
    const uint64_t methods = compiled_until(part + 1) - compiled_until(part);
    least = std::min(least, methods);
    most = std::max(most, methods);
  }
  const double third_seconds = static_cast<double>(length_ns) / 3e9;
  return static_cast<double>(least) >= rules.even_compiling_methods * third_seconds &&
         static_cast<double>(least) >= rules.even_compiling * static_cast<double>(most);
}

// From when on the process is that old. One whose age is unknown may have started with the
// recording.
int64_t OlderThan(const RecordingFacts& facts, uint64_t ns) {
  const uint64_t age_ns = AgeAtStart(facts).value_or(0);
  return static_cast<int64_t>(ns - std::min(age_ns, ns));
}

double CompilingNs(const Model& model, int64_t from_ns, int64_t to_ns) {
  CpuQuery query;
  query.from_ns = from_ns;
  query.to_ns = to_ns;
  return CompilingOf(AnalyzeCpu(model, query)).amount;
}

// The part of the time that shows whether code is compiled again and again.
struct LateTime {
  int64_t from_ns = 0;
  bool is_young = false;  // the process may still be starting
  bool is_brief = false;
};

std::optional<LateTime> LateTimeOf(const EventReports& events, const OverviewRules& rules) {
  const RecordingFacts& facts = events.model.facts;
  // The second half of the time that is left, because compilation fades out slowly.
  const auto second_half = [&facts](int64_t from_ns) {
    from_ns = std::max(from_ns, facts.first_ns);
    return from_ns + (facts.last_ns - from_ns) / 2;
  };
  const int64_t late_ns = second_half(WarmFrom(facts, rules));
  if (facts.last_ns - late_ns >= static_cast<int64_t>(rules.late_ns)) return LateTime{late_ns};
  const int64_t young_ns = second_half(OlderThan(facts, rules.young_ns));
  const auto left_ns = static_cast<uint64_t>(std::max<int64_t>(0, facts.last_ns - young_ns));
  if (left_ns < rules.young_briefly_ns) return std::nullopt;
  return LateTime{young_ns, true, left_ns < rules.young_late_ns};
}

}  // namespace

bool CompilingFadesOut(const Model& model, int64_t from_ns, const OverviewRules& rules) {
  const int64_t to_ns = model.facts.last_ns, third_ns = (to_ns - from_ns) / 3;
  return CompilingNs(model, to_ns - third_ns, to_ns) <
         rules.still_compiling * CompilingNs(model, from_ns, from_ns + third_ns);
}

int64_t WarmFrom(const RecordingFacts& facts, const OverviewRules& rules) {
  return OlderThan(facts, rules.warm_ns);
}

bool IsIdle(const EventReports& events, double cores, const OverviewRules& rules) {
  return cores < rules.hot_cores && !events.pool.processors.is_short;
}

bool JudgeCompiling(const EventReports& events, const OverviewRules& rules,
                    std::vector<Finding>& findings) {
  const Model& model = events.model;
  if (CompilingOf(events.cpu).amount < rules.much_compiling * events.cpu.whole.amount) return false;
  const std::optional<LateTime> late_time = LateTimeOf(events, rules);
  if (!late_time) return false;
  const int64_t late_ns = late_time->from_ns;
  CpuQuery query;
  query.from_ns = late_ns;
  const CpuProfileReport late = AnalyzeCpu(model, query);
  const PathWeight all = CompilingOf(late);
  const bool is_even = CompilesEvenly(model.samples.jit, rules);
  const bool may_start = late_time->is_young && !is_even;
  if (late.whole.samples < (is_even ? rules.cpu_samples / 2 : rules.cpu_samples) ||
      IsIdle(events, late.cores, rules) ||
      all.amount <
          (may_start ? rules.mostly_compiling : rules.much_compiling) * late.whole.amount) {
    return false;
  }
  const CompilingMethod most = MostCompiling(late);
  if (most.frame == 0 || most.compiling.amount < rules.compiling_below * all.amount) return false;
  if (may_start && CompilingFadesOut(model, late_ns, rules)) return false;
  const Share share = ShareOf(all, late.whole);
  Finding finding;
  // Without processors, a process starts slowly.
  const bool is_most = all.amount >= rules.mostly_compiling * late.whole.amount;
  finding.is_doubt =
      late_time->is_brief || (late_time->is_young && (!is_most || events.pool.processors.is_short));
  finding.severity = share.value >= rules.too_much_compiling && !finding.is_doubt
                         ? Severity::kWarning
                         : Severity::kNote;
  finding.kind = "compiling";
  finding.subject = late.paths.frames[most.frame].name;
  finding.title =
      finding.subject + " keeps the JIT compiler busy: " + ShareText(share) + " of the CPU time";
  const double rate = CompiledPerSecond(model.samples.jit, late_ns);
  finding.evidence =
      "In the last " + FormatDuration(static_cast<uint64_t>(model.facts.last_ns - late_ns)) +
      (late_time->is_young ? ", and no less in the end, " : ", long after the start, ") +
      Plural(most.compiling.samples, "sample") + " of " + FormatCount(all.samples) +
      " in the compiler are below it";
  if (most.of_caller.amount >= rules.compiling_below * most.compiling.amount) {
    finding.evidence += ", mostly in calls of " + late.paths.frames[most.caller].name;
  }
  if (rate >= 1) finding.evidence += ", and " + FormatRate(rate) + " methods a second are compiled";
  finding.evidence +=
      ". It probably creates each time what generates code and should be kept: serializer options "
      "or contract resolvers, compiled expressions or regular expressions, dynamic methods.";
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact = ImpactOf(late, all);
  findings.push_back(std::move(finding));
  return true;
}

}  // namespace hindsight::analyzer
