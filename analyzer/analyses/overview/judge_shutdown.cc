// A host that is being stopped, and waits for a hosted service: it awaits it, as a heap snapshot
// shows, or a thread blocks in it; or it merely goes on for long.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/unchanged.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kKind = "slow-shutdown";
constexpr double kImpact = 0.1;  // it ends either way; what was wrong before comes first

// Of a path, innermost first: your method that the host calls to stop a service; 0: it calls none.
MethodId StoppedMethod(const MethodNames& names, FrameKinds& kinds,
                       const std::vector<MethodId>& path) {
  MethodId service = 0;
  for (const MethodId method : path) {
    if (names.Display(method).starts_with("Microsoft.Extensions.Hosting.Internal.Host.")) {
      return service;
    }
    if (kinds.IsYours(method) && names.Display(method).ends_with(".StopAsync")) service = method;
  }
  return 0;
}

uint64_t LengthOf(int64_t from_ns, int64_t to_ns) {
  return static_cast<uint64_t>(std::max<int64_t>(0, to_ns - from_ns));
}

std::string NameOf(const HostShutdown& shutdown) {
  if (IsWebServer(shutdown)) return "the web server: requests or connections are still open";
  return shutdown.service.empty() ? "a hosted service" : shutdown.service;
}

}  // namespace

void JudgeShutdown(const Reports& reports, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  const HostShutdown& shutdown = *reports.heap->tasks.shutdown;
  const bool lasts = shutdown.lasts_ns >= rules.stuck_ns;
  const bool was_killed = reports.events && reports.events->model.facts.end == EndReason::kBrokeOff;
  Finding finding;
  finding.severity = lasts || was_killed ? Severity::kWarning : Severity::kNote;
  finding.kind = kKind;
  finding.subject = shutdown.service;
  finding.title = "The host is stopping, and waits for " + NameOf(shutdown);
  finding.evidence = "In snapshot " + std::to_string(shutdown.snapshot) + " it " +
                     (shutdown.awaits.empty() ? "runs" : "awaits " + shutdown.awaits);
  if (!shutdown.place.empty()) finding.evidence += " in " + shutdown.place;
  if (!shutdown.holder.empty()) finding.evidence += ", held by " + shutdown.holder;
  finding.evidence += lasts        ? ", and did " + FormatDuration(shutdown.lasts_ns) + " earlier."
                      : was_killed ? "; the recording ends abruptly later."
                                   : ".";
  const uint32_t judged = reports.heap->model.graph.facts.number;
  if (judged != shutdown.snapshot) {
    finding.evidence += " Everything else is judged by snapshot " + std::to_string(judged) +
                        ", taken before the host began to stop.";
  }
  finding.command = "tasks --snapshot " + std::to_string(shutdown.snapshot);
  finding.impact = kImpact;
  findings.push_back(std::move(finding));
}

void JudgeBlockedShutdown(const ThreadReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  const ThreadSnapshot* const snapshot = report.thread_stacks.snapshot;
  if (snapshot == nullptr || IsReported(findings, kKind)) return;
  const Dictionaries& dictionaries = report.model->dictionaries;
  const BlockingCalls calls(dictionaries);
  FrameKinds kinds(*report.model);
  for (const ThreadInSnapshot& thread : snapshot->threads) {
    const std::vector<MethodId> path = dictionaries.Path(thread.stack);
    const MethodId service = StoppedMethod(report.names, kinds, path);
    if (service == 0 || calls.Find(path).kind == BlockingCall::Kind::kNone) continue;
    const uint64_t waits_ns = UnchangedNs(*snapshot, thread);
    const bool lasts = waits_ns >= rules.stuck_ns;
    const bool was_killed = report.model->facts.end == EndReason::kBrokeOff;
    Finding finding;
    finding.severity = lasts || was_killed ? Severity::kWarning : Severity::kNote;
    finding.kind = kKind;
    finding.subject = report.names.Display(service);
    finding.title = "The host is stopping, and waits for " + finding.subject;
    finding.evidence = "In the last thread snapshot, at " + FormatMoment(snapshot->at_ns) +
                       ", it blocks in " + report.names.Display(path.front());
    if (lasts) {
      finding.evidence += ", for " + FormatDuration(waits_ns);
    } else if (was_killed) {
      const uint64_t later_ns = LengthOf(snapshot->at_ns, report.model->facts.last_ns);
      finding.evidence += "; the recording ends abruptly " + FormatDuration(later_ns) + " later";
    }
    finding.evidence += '.';
    finding.command = "threads";
    finding.impact = kImpact;
    findings.push_back(std::move(finding));
    return;
  }
}

void JudgeSlowEnd(const Model& model, const OverviewRules& rules, std::vector<Finding>& findings) {
  const std::optional<int64_t> at_ns = EndSignalNs(model);
  if (!at_ns || !HasHost(model.dictionaries) || IsReported(findings, kKind)) return;
  const uint64_t lasts_ns = LengthOf(*at_ns, model.facts.last_ns);
  const bool was_killed = model.facts.end == EndReason::kBrokeOff;
  if (lasts_ns < (was_killed ? rules.killed_slow_end_ns : rules.slow_end_ns)) return;
  Finding finding;
  // What ends in time may have had much to do.
  finding.severity =
      model.facts.end == EndReason::kProcessExit ? Severity::kNote : Severity::kWarning;
  finding.kind = kKind;
  finding.title = "The host was to stop, and still ran " + FormatDuration(lasts_ns) + " later";
  finding.evidence =
      "It got SIGTERM or SIGINT at " + FormatMoment(*at_ns) +
      (was_killed ? "; the recording ends abruptly, so it was probably killed if it no longer runs."
                  : ".") +
      " A hosted service that ignores its CancellationToken holds it up, and so do open requests "
      "and connections: a heap snapshot taken then shows which.";
  finding.command = "timeline";
  finding.impact = kImpact;
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
