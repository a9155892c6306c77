// What the processors were used for, and what was allocated.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/dynamic_names.h"
#include "analyzer/analyses/overview/endless_runs.h"
#include "analyzer/analyses/overview/hot_method.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

// ", mostly through Shop.Order.Parse and Shop.Order.Check"
std::string ThroughText(const CpuProfileReport& report, const HotMethod& hot) {
  const auto name = [&](size_t i) { return report.paths.frames[hot.through[i]].name; };
  if (!hot.through.empty()) {
    std::string out = ", mostly through " + name(0);
    for (size_t i = 1; i < hot.through.size(); ++i) {
      out += (i + 1 == hot.through.size() ? " and " : ", ") + name(i);
    }
    return out;
  }
  if (hot.spread_over == 0) return {};
  return ", spread over " + FormatCount(hot.spread_over) + " methods that it calls";
}

// Code generated at run time that does much itself: the JIT inlined methods into it, for which the
// recording has no names.
void JudgeHidden(const CpuProfileReport& report, const OverviewRules& rules,
                 std::vector<Finding>& findings) {
  const double working = report.whole.amount - CompilingOf(report).amount;
  const auto hidden =
      std::find_if(report.methods.begin(), report.methods.end(), [&](const MethodWeight& method) {
        const MethodId id = report.paths.frames[method.frame].method;
        return id != 0 && report.model->dictionaries.method(id).is_dynamic &&
               method.self.amount >= rules.hot_note_share * working;
      });
  if (hidden == report.methods.end()) return;
  std::string caller;
  for (const PathNode& node : report.paths.nodes) {
    if (node.frame != hidden->frame || node.parent == 0) continue;
    caller = report.paths.frames[report.paths.nodes[node.parent].frame].name;
    break;
  }
  Finding finding;
  finding.kind = "hidden-path";
  finding.subject = WithoutDynamicNumber(report.paths.frames[hidden->frame].name);
  finding.title = finding.subject + " takes " + ShareText(ShareOf(hidden->self, report.whole)) +
                  " of the CPU time itself: methods of yours that are inlined there";
  finding.evidence = "It is made at run time" +
                     (caller.empty() ? "" : ", and called by " + caller) +
                     "; what the JIT compiler puts into it has no frame of its own. Mark a method "
                     "with MethodImplOptions.NoInlining to see it.";
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact = std::min(1.0, hidden->self.amount / report.whole.amount);
  findings.push_back(std::move(finding));
}

// One method of others has most of the time, and none of yours is on the way to it: they are
// inlined, or run on other threads.
void JudgeOthers(const CpuProfileReport& report, const OverviewRules& rules,
                 std::vector<Finding>& findings) {
  const double working = report.whole.amount - CompilingOf(report).amount;
  const MethodWeight* most = nullptr;
  for (const MethodWeight& method : report.methods) {
    if (report.paths.frames[method.frame].name.starts_with(kRuntimeMark)) continue;
    if (most == nullptr || method.self.amount > most->self.amount) most = &method;
  }
  if (most == nullptr || most->self.amount < rules.hot_share * working) return;
  Finding finding;
  finding.kind = "hot-path";
  finding.subject = report.paths.frames[most->frame].name;
  finding.title = finding.subject + " takes " + ShareText(ShareOf(most->self, report.whole)) +
                  " of the CPU time; no method of yours is seen on the way to it";
  finding.evidence = "The process used " + FormatRate(report.cores) +
                     " CPUs. What calls it may be inlined into code that was compiled before the "
                     "recording began: the callers show where.";
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact = ImpactOf(report, most->self);
  findings.push_back(std::move(finding));
}

bool UsesAllProcessors(const EventReports& events, const OverviewRules& rules) {
  const double cpus = events.model.facts.cpus;
  return cpus > 0 && events.cpu.cores >= rules.busy_cpus * cpus;
}

// Whether it would if it got them: its threads want many more than there are.
bool WantsMoreProcessors(const EventReports& events, const OverviewRules& rules) {
  const double cpus = events.model.facts.cpus;
  const ProcessorWait& wait = events.pool.processors;
  return cpus > 0 && wait.used + wait.ready >= rules.wanted_cpus * cpus;
}

// Requests do not end because workers compute in `method`, while others end quickly; empty: not so.
std::vector<EndlessRun> EndlessRequests(const Model& model, MethodId method,
                                        const OverviewRules& rules) {
  const Requests& requests = model.requests;
  if (method == 0 || requests.in_progress() == 0) return {};
  std::vector<EndlessRun> runs = EndlessRunsIn(model, method, rules);
  if (runs.empty()) return {};
  uint64_t ended = 0;
  for (const RequestSample& sample : requests.samples) {
    if (sample.at_ns >= runs.front().from_ns) ended += sample.finished;
  }
  if (ended < rules.endless_others * runs.size()) return {};
  return runs;
}

std::string EndlessText(const std::vector<EndlessRun>& runs, const Model& model) {
  const auto longest = static_cast<uint64_t>(runs.front().to_ns - runs.front().from_ns);
  return (runs.size() == 1 ? "It has been in it for " : "The first of them has been in it for ") +
         FormatDuration(longest) + ", in all of its " + Plural(runs.front().samples, "sample") +
         "; " + Plural(model.requests.in_progress(), "request") +
         " had not ended in the end, while others did. It looks like an endless loop, or one that "
         "takes extremely long for some input. ";
}

bool IsRegex(std::string_view method) {
  return method.starts_with("System.Text.RegularExpressions.");
}

// What is known about the callee that takes the time; empty: nothing.
std::string_view AdviceFor(std::string_view callee) {
  if (!IsRegex(callee)) return {};
  return " A pattern that backtracks takes extremely long for some inputs: use "
         "RegexOptions.NonBacktracking, or set a timeout.";
}

bool IsMostlyStart(const RecordingFacts& facts, const OverviewRules& rules) {
  return WarmFrom(facts, rules) - facts.first_ns >= (facts.last_ns - facts.first_ns) / 2;
}

// The container's limit is all that the process gets. A program that only computes should use it
// up; whoever waits for a server's answer notices.
Finding AtLimit(const EventReports& events, const OverviewRules& rules) {
  const ProcessorWait& wait = events.pool.processors;
  const bool is_server = events.model.requests.finished > 0;
  Finding finding;
  if (is_server) finding.WarnUnlessDoubt(IsMostlyStart(events.model.facts, rules));
  finding.kind = "cpu-limit";
  finding.title = "The container's CPU limit holds the process back: " + ProcessorWaitText(wait);
  finding.evidence =
      "While the kernel throttles it, no thread runs: requests, waits and pauses take longer. "
      "Raise "
      "the limit, or reduce the CPU time.";
  finding.command = "cpu";
  return finding;
}

// Reports what delays everything else that is reported.
void JudgeProcessors(const EventReports& events, const OverviewRules& rules,
                     std::vector<Finding>& findings) {
  const ProcessorWait& wait = events.pool.processors;
  const double impact = 1 - wait.used / (wait.used + wait.ready);
  if (wait.is_at_limit) {
    findings.push_back(AtLimit(events, rules));
    findings.back().impact = impact;
    return;
  }
  if (!wait.delays_work()) return;
  Finding finding;
  finding.kind = "no-processor";
  finding.title = "Threads wait for a processor: " + ProcessorWaitText(wait);
  finding.evidence =
      "Other processes had the processors, or a limit held this one back. How long waits, pauses "
      "and requests took says little of the program itself.";
  finding.command = "timeline";
  // A process that stands still most of the time is not well, whoever is to blame. But what it does
  // by itself comes first.
  finding.is_doubt = wait.used <= rules.far_too_few_cpus * wait.wanted;
  finding.impact = finding.is_doubt ? impact * rules.others_impact : impact;
  findings.push_back(std::move(finding));
}

}  // namespace

Coverage JudgeCpu(const Reports& reports, const OverviewRules& rules,
                  std::vector<Finding>& findings) {
  if (reports.events) JudgeProcessors(*reports.events, rules, findings);
  if (!reports.events || !reports.events->model.facts.cpu_on) return NotRecorded("+cpu");
  const CpuProfileReport& report = reports.events->cpu;
  Coverage coverage;
  if (report.whole.samples == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "The process was idle: too little CPU time for one sample.";
    return coverage;
  }
  coverage.looked_at = Plural(report.whole.samples, "sample") + ", " +
                       FormatDuration(static_cast<uint64_t>(report.whole.amount)) +
                       " of CPU time, " + FormatRate(report.cores) + " cores";
  if (report.whole.samples < rules.cpu_samples) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "There are too few samples for more than the largest parts.";
    return coverage;
  }
  if (IsIdle(*reports.events, report.cores, rules)) return coverage;
  const bool keeps_compiling = JudgeCompiling(*reports.events, rules, findings);
  const std::string polling = JudgePolling(*reports.events, rules, findings);
  const std::optional<HotMethod> found = FindHotMethod(report, rules);
  if (!found) {
    const size_t before = findings.size();
    JudgeHidden(report, rules, findings);
    if (findings.size() == before) JudgeOthers(report, rules, findings);
    return coverage;
  }
  const OwnMethod* const hot = found->method;
  if (report.paths.frames[hot->frame].name == polling) return coverage;
  const double cpus = report.model->facts.cpus;
  const double working = report.whole.amount - CompilingOf(report).amount;
  // Where others have the processors, a process that still compiles its code wants them, too.
  const double least = found->through.empty() ? rules.hot_share : rules.hot_share_through;
  const bool takes_all = UsesAllProcessors(*reports.events, rules)
                             ? hot->total.amount >= least * working
                             : WantsMoreProcessors(*reports.events, rules) &&
                                   hot->total.amount >= least * report.whole.amount;
  Finding finding;
  finding.severity = takes_all ? Severity::kWarning : Severity::kNote;
  finding.kind = "hot-path";
  finding.subject = report.paths.frames[hot->frame].name;
  finding.title = finding.subject + " takes " + ShareText(ShareOf(hot->total, report.whole)) +
                  " of the CPU time" + ThroughText(report, *found);
  finding.evidence = "The process used " + FormatRate(report.cores) +
                     (cpus > 0 ? " of " + FormatRate(cpus) + " CPUs; " : " CPUs; ") +
                     Plural(hot->total.samples, "sample") + " of " +
                     FormatCount(report.whole.samples) + " are in it and its callees.";
  if (const std::vector<EndlessRun> runs =
          EndlessRequests(*report.model, report.paths.frames[hot->frame].method, rules);
      !runs.empty()) {
    finding.severity = Severity::kWarning;
    finding.kind = "endless-work";
    finding.title = Plural(runs.size(), "pool worker") + (runs.size() == 1 ? " does" : " do") +
                    " not come back from " + finding.subject + ", " +
                    ShareText(ShareOf(hot->total, report.whole)) + " of the CPU time";
    finding.evidence = EndlessText(runs, *report.model) + finding.evidence;
  }
  if (report.paths.frames[hot->frame].inlined) finding.evidence += " It is inlined.";
  const OthersMethod callee =
      DeepestCallee(report.paths, report.own, hot->frame, rules.hot_callee * hot->total.amount);
  if (callee.frame != 0) {
    const std::string& name = report.paths.frames[callee.frame].name;
    finding.evidence += " Of these, " + FormatCount(callee.total.samples) + " are in " + name + ".";
    finding.evidence += AdviceFor(name);
    finding.is_doubt = finding.severity == Severity::kNote && IsRegex(name) &&
                       hot->total.amount >= rules.hot_share * working &&
                       report.cores >= rules.regex_cores;
  }
  if (const PathWeight compiling = CompilingOf(report);
      compiling.amount >= rules.much_compiling * report.whole.amount) {
    finding.evidence += " The JIT compiler took " + ShareText(ShareOf(compiling, report.whole));
    const RecordingFacts& facts = report.model->facts;
    const bool is_start = !keeps_compiling && !IsReported(findings, kGeneratedAssemblies) &&
                          IsMostlyStart(facts, rules) &&
                          CompilingFadesOut(*report.model, facts.begin_ns(), rules);
    finding.evidence += is_start ? ", which is normal shortly after start." : ".";
  }
  finding.command = CommandWith("cpu --focus", finding.subject);
  finding.impact = ImpactOf(report, hot->total);
  findings.push_back(std::move(finding));
  return coverage;
}

Coverage JudgeAllocations(const Reports& reports, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.allocations_on) {
    return NotRecorded("+allocations");
  }
  const AllocationReport& report = reports.events->allocations;
  Coverage coverage;
  if (report.whole.samples == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "Too little was allocated for one sample.";
    return coverage;
  }
  const double seconds = SecondsOf(*report.model);
  const auto bytes = [](double amount) { return FormatBytes(static_cast<uint64_t>(amount)); };
  coverage.looked_at = Plural(report.whole.samples, "sample") + " for " +
                       bytes(report.whole.amount) + ", " + bytes(report.whole.amount / seconds) +
                       "/s";
  if (report.types.empty()) return coverage;
  JudgeNewHttpClients(report, rules, findings);
  const AllocatedType& top = report.types.front();
  const Share share = ShareOf(top.weight, report.whole);
  if (top.weight.amount / seconds < rules.much_allocated_per_second ||
      share.value < rules.much_of_allocations || top.weight.samples < kFewSamples) {
    return coverage;
  }
  const GcReport& gc = reports.events->gc;
  const double pauses = gc.ShareOfTime(gc.collecting.total_ns);
  Finding finding;
  // What soon ends may allocate as it likes.
  const bool is_costly = seconds < rules.short_seconds
                             ? pauses >= rules.collections_of_short
                             : pauses * share.value >= rules.notable_pauses;
  finding.severity = is_costly ? Severity::kWarning : Severity::kNote;
  finding.kind = "hot-type";
  finding.subject = top.name;
  finding.title = top.name + ": " + bytes(top.weight.amount / seconds) + "/s allocated, " +
                  ShareText(share) + " of all";
  finding.evidence = top.site != 0 ? "Mostly in " + report.paths.frames[top.site].name
                                   : "Based on " + Plural(top.weight.samples, "sample");
  finding.evidence += "; collections took " + FormatPercent(pauses) + " of the time.";
  finding.command = CommandWith("allocations --type", top.name);
  finding.impact = std::min(1.0, share.value * pauses);
  findings.push_back(std::move(finding));
  return coverage;
}

}  // namespace hindsight::analyzer
