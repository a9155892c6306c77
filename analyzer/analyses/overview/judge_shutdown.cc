// A host that is being stopped, and waits for a hosted service.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

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
  finding.kind = "slow-shutdown";
  finding.subject = shutdown.service;
  finding.title = "The host is stopping, and waits for " + NameOf(shutdown);
  finding.evidence = "In snapshot " + std::to_string(shutdown.snapshot) + " it " +
                     (shutdown.awaits.empty() ? "runs" : "awaits " + shutdown.awaits);
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
  finding.impact = 0.1;  // the service ends either way; what was wrong before comes first
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
