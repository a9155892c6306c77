// Connections of HttpClient that can't be made: servers that refuse them or do not answer. Callers
// that handle it only get slow, and a timeout looks like a cancellation. And requests that ended
// because their calls were canceled.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/failed_requests.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// .NET 8 to 10: ends with exactly one exception of its own for each connection that fails.
constexpr std::string_view kConnectToHost =
                               "System.Net.Http.HttpConnectionPool.ConnectToTcpHostAsync",
                           kPool = "System.Net.Http.HttpConnectionPool.";

bool FailsToConnect(const ExceptionReport& report, const ExceptionFinding& found) {
  return !found.is_rest && !found.path.empty() &&
         report.names.Display(found.path.front()) == kConnectToHost;
}

// Your method that most failures of HTTP calls came through; 0: unknown.
MethodId CallerOf(const ExceptionReport& report) {
  uint64_t most = 0;
  MethodId caller = 0;
  for (const ExceptionFinding& found : report.findings) {
    if (found.thrown_again_in == 0 || found.routes.empty() || found.group.count <= most) continue;
    const auto& hops = found.routes.front().hops;
    const bool is_of_pool = std::ranges::any_of(hops, [&](const RouteHop& hop) {
      return hop.thrower != 0 && report.names.Display(hop.thrower).starts_with(kPool);
    });
    if (!is_of_pool) continue;
    most = found.group.count;
    caller = found.thrown_again_in;
  }
  return caller;
}

}  // namespace

void JudgeFailingConnects(const ExceptionReport& report, const OverviewRules& rules,
                          std::vector<Finding>& findings) {
  uint64_t count = 0, timeouts = 0;
  const ExceptionFinding* most = nullptr;
  for (const ExceptionFinding& found : report.findings) {
    if (!FailsToConnect(report, found)) continue;
    count += found.group.count;
    if (IsCancellation(report.names.RawType(found.type))) timeouts += found.group.count;
    if (most == nullptr || found.group.count > most->group.count) most = &found;
  }
  const double rate = static_cast<double>(count) / SecondsOf(*report.model);
  if (count < rules.failing_connects || rate < rules.failing_connects_per_second) return;
  const bool is_ill = count >= rules.failing_work && rate >= rules.failing_work_per_second;
  Finding finding;
  finding.WarnUnlessDoubt(!is_ill);
  finding.kind = "failing-connects";
  const MethodId caller = CallerOf(report);
  if (caller != 0) finding.subject = report.names.Display(caller);
  finding.title = "HttpClient cannot connect: " + FormatRate(rate) + " attempts a second fail";
  if (caller != 0) finding.title += ", most of them for " + finding.subject;
  finding.evidence = FormatCount(count) + " attempts, " + FormatCount(timeouts) +
                     " of them timed out or were canceled.";
  if (timeouts < count) finding.evidence += MessageText("The first message", *most);
  finding.command = CommandWith("exceptions --type", report.names.Type(most->type));
  finding.impact = rate / (1 + rate);
  findings.push_back(std::move(finding));
}

void JudgeCanceledCalls(const ExceptionReport& report, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  uint64_t count = 0;
  const ExceptionFinding* most = nullptr;
  for (const ExceptionFinding& found : report.findings) {
    const std::string& type = report.names.RawType(found.type);
    if (found.is_rest || !IsCanceledCall(report.model->dictionaries, type, found.path)) continue;
    count += found.ended_by_client;
    if (most == nullptr || found.ended_by_client > most->ended_by_client) most = &found;
  }
  const std::optional<double> share = PerRequest(count, report);
  if (count < rules.failed_requests || !share || *share < rules.failed_route_share) return;
  Finding finding;
  finding.is_doubt = true;
  finding.kind = "canceled-calls";
  finding.title =
      RequestsText(count, report) + " ended because a call to another server was canceled";
  if (most->request_handler() != 0) {
    finding.subject = report.names.Display(most->request_handler());
    finding.title += ", in " + finding.subject;
  }
  finding.evidence =
      "By a timeout (a CancellationTokenSource with a time, for example), or because their clients "
      "went away: the exception does not tell.";
  finding.command = CommandWith("exceptions --type", report.names.Type(most->type));
  finding.impact = std::min(1.0, *share);
  findings.push_back(std::move(finding));
}

}  // namespace hindsight::analyzer
