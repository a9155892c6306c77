// Requests: routes that fail, and individual requests that send the same query to a database, or
// call the same server, again and again.
#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Only queries could have been combined into a single one. Writes may have to be done one by one,
// and calls of the database's own code may do anything.
bool Reads(std::string_view command) {
  return command.starts_with("SELECT ") || command.starts_with("WITH ");
}

// Whether many requests make it at least `often` times, and not because it fails.
bool IsRepeated(const RequestPartRow& row, uint64_t often, const OverviewRules& rules) {
  const RequestPartGroup& group = *row.group;
  return !row.is_outside() && group.requests >= rules.repeating_requests &&
         row.often_per_request >= often &&
         static_cast<double>(group.failed) <
             rules.repeated_failed * static_cast<double>(group.count);
}

bool IsRepeatedQuery(const RequestPartRow& row, const OverviewRules& rules) {
  return IsRepeated(row, rules.repeated_commands, rules) && Reads(row.group->what) &&
         row.mean_idle_ns() <= rules.repeated_idle_ns;
}

Finding Repeated(const RequestReport& report, const RequestPartRow& row,
                 const OverviewRules& rules) {
  const RequestPartGroup& group = *row.group;
  Finding finding;
  finding.severity = row.stretch() >= rules.repeated_stretch ? Severity::kWarning : Severity::kNote;
  finding.kind = "repeated-command";
  finding.subject = row.place_name.empty() ? group.what : row.place_name;
  finding.title = RouteName(row.route) + ": the same command " + FormatRate(row.per_request) +
                  " times a request (N+1)";
  if (!row.place_name.empty()) finding.title += ", in " + row.place_name;
  finding.evidence = group.what + (group.text.empty() ? "" : ": " + group.text) + "; " +
                     FormatCount(group.count) + " in " + Plural(group.requests, "request") +
                     ", up to " + FormatCount(row.most_per_request) + " in one, " +
                     FormatDuration(row.mean_ns()) + " each. From the first to the last, " +
                     FormatPercent(std::min(1.0, row.stretch())) + " of these requests' time.";
  finding.command = "requests";
  const uint64_t all_ns = report.work.total_ns();
  const double share =
      all_ns == 0 ? 0 : static_cast<double>(group.stretch_ns) / static_cast<double>(all_ns);
  finding.impact = std::min(1.0, share);
  return finding;
}

// Requests that make many calls to one server, which could answer all of them at once.
void JudgeRepeatedCalls(const RequestWork& work, const OverviewRules& rules,
                        std::vector<Finding>& findings) {
  std::vector<std::string_view> routes;
  for (const RequestPartRow& row : work.calls) {
    const RequestPartGroup& group = *row.group;
    if (!IsRepeated(row, rules.repeated_calls, rules) ||
        std::ranges::find(routes, row.route) != routes.end()) {
      continue;
    }
    if (routes.size() == rules.repeated_reported) break;
    routes.push_back(row.route);
    Finding finding;
    finding.kind = "repeated-call";
    finding.subject = row.place_name.empty() ? group.what : row.place_name;
    finding.title = RouteName(row.route) + ": " + FormatRate(row.per_request) + " calls to " +
                    group.what + " a request";
    if (!row.place_name.empty()) finding.title += ", in " + row.place_name;
    finding.evidence = FormatCount(group.count) + " in " + Plural(group.requests, "request") +
                       ", up to " + FormatCount(row.most_per_request) + " in one, " +
                       FormatDuration(row.mean_ns()) +
                       " each. One call for all of them would be quicker for both sides.";
    // At the same time, they cost a client little more than one.
    if (row.AreInTurn() && row.stretch() >= rules.repeated_stretch) {
      finding.severity = Severity::kWarning;
      finding.evidence += " Each begins when the previous one has ended: together they take " +
                          FormatPercent(std::min(1.0, row.stretch())) + " of these requests' time.";
    }
    finding.command = "requests";
    finding.impact = std::min(1.0, row.stretch());
    findings.push_back(std::move(finding));
  }
}

// How the requests of a route ended.
struct RouteEnds {
  std::string name;
  uint64_t count = 0;
  uint64_t failed = 0;  // of these, without those that a finding about exceptions reports
  std::string how;      // the most frequent for failed ones: "500"
};

// Exceptions that a finding reports as the end of requests: the names of their types, and the
// number of requests.
struct ReportedEnds {
  std::vector<std::string> types;
  uint64_t count = 0;
};

ReportedEnds ReportedBy(const std::vector<Finding>& findings, const ExceptionReport& exceptions) {
  ReportedEnds reported;
  for (const ExceptionFinding& found : exceptions.findings) {
    const std::string subject = exceptions.names.Type(found.type);
    const bool is_reported = std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.signal == Signal::kExceptions && finding.kind == "failed-requests" &&
             finding.subject == subject;
    });
    if (!is_reported) continue;
    reported.types.push_back(exceptions.names.RawType(found.type));
    reported.count += found.ended_requests;
  }
  return reported;
}

std::vector<RouteEnds> RoutesOf(const Reports& reports, const std::vector<Finding>& findings) {
  const ReportedEnds reported = ReportedBy(findings, reports.events->exceptions);
  std::vector<RouteEnds> routes;
  for (const RequestRow& row : reports.events->requests.served) {
    RouteEnds& route = routes.emplace_back();
    route.name = row.Name("Requests without a route");
    route.count = row.count;
    uint64_t most = 0;
    for (const RequestEnding& ending : row.endings) {
      if (!ending.is_failure || IsClientsDoing(ending.error)) continue;
      if (std::ranges::find(reported.types, ending.error) != reported.types.end()) continue;
      route.failed += ending.count;
      if (ending.count > most) route.how = ending.How();
      most = std::max(most, ending.count);
    }
  }
  if (!routes.empty()) return routes;
  // Individual requests have only their status. The ones already reported may be any of them.
  for (const RequestRoute& row : reports.events->model.requests.details.routes) {
    routes.push_back({.name = RouteName(row.name),
                      .count = row.count,
                      .failed = row.failed - std::min(row.failed, reported.count),
                      .how = "a status of 500 or more"});
  }
  return routes;
}

// Independently of other routes: a rarely used route may fail completely.
void JudgeRoutes(const Reports& reports, const OverviewRules& rules,
                 std::vector<Finding>& findings) {
  std::vector<RouteEnds> failing = RoutesOf(reports, findings);
  std::erase_if(failing, [&](const RouteEnds& route) {
    return route.failed < rules.failed_requests ||
           static_cast<double>(route.failed) <
               rules.failed_route_share * static_cast<double>(route.count);
  });
  std::ranges::stable_sort(failing, std::greater(), &RouteEnds::failed);
  uint64_t all = 0;
  for (const RequestRow& row : reports.events->requests.served) all += row.count;
  for (size_t i = 0; i < std::min<size_t>(failing.size(), rules.failed_routes_reported); ++i) {
    const RouteEnds& route = failing[i];
    const double share = static_cast<double>(route.failed) / static_cast<double>(route.count);
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = "failing-route";
    finding.subject = route.name;
    finding.title = route.name + " fails: " + FormatCount(route.failed) + " of " +
                    Plural(route.count, "request") + " (" + FormatPercent(share) + ")";
    finding.evidence = "They ended with " + route.how + ".";
    if (failing.size() > rules.failed_routes_reported && i == 0) {
      finding.evidence += " " + FormatCount(failing.size()) + " routes fail.";
    }
    finding.command = "requests";
    finding.impact = std::min(
        1.0, static_cast<double>(route.failed) / static_cast<double>(std::max(all, route.count)));
    findings.push_back(std::move(finding));
  }
}

// The route of yours that calls the server again and again in one request; nullptr: there is none.
const RequestPartRow* Retrying(const RequestReport& report, const std::string& server,
                               const OverviewRules& rules) {
  const RequestPartRow* most = nullptr;
  for (const RequestPartRow& row : report.work.calls) {
    if (row.is_outside() || row.group->what != server) continue;
    if (row.per_request < rules.calls_of_retries) continue;
    if (most == nullptr || row.group->count > most->group->count) most = &row;
  }
  return most;
}

// Calls to others that fail, whatever becomes of the requests that make them: answers of 500 and
// above, and calls without an answer. Answers below 500 may be how the other side says no, and who
// cancels a call does not want its answer.
void JudgeCalls(const RequestReport& report, const OverviewRules& rules,
                std::vector<Finding>& findings) {
  uint64_t all = 0;
  for (const RequestRow& row : report.made) all += row.count;
  for (const RequestRow& row : report.made) {
    uint64_t failed = 0, most = 0;
    std::string how;
    for (const RequestEnding& ending : row.endings) {
      const bool is_refusal = ending.status.size() == 3 && ending.status[0] < '5';
      if (!ending.is_failure || is_refusal || IsCancellation(ending.error)) continue;
      failed += ending.count;
      if (ending.count > most) how = ending.How();
      most = std::max(most, ending.count);
    }
    if (failed < rules.failed_calls ||
        static_cast<double>(failed) < rules.failed_calls_share * static_cast<double>(row.count)) {
      continue;
    }
    Finding finding;
    finding.severity = Severity::kWarning;
    finding.kind = "failing-calls";
    finding.subject = row.target.empty() ? "an unknown server" : row.target;
    const double share = static_cast<double>(failed) / static_cast<double>(row.count);
    finding.title = "Calls to " + finding.subject + " fail: " + FormatCount(failed) + " of " +
                    FormatCount(row.count) + " (" + FormatPercent(share) + ")";
    finding.evidence =
        (most == failed ? "They ended with " : "Most of them ended with ") + how + ".";
    if (const RequestPartRow* caller = Retrying(report, row.target, rules); caller != nullptr) {
      finding.evidence += " " + (caller->route.empty() ? "A request" : caller->route) + " makes " +
                          FormatRate(caller->per_request) + " of them each time, up to " +
                          FormatCount(caller->most_per_request) +
                          ": it probably tries again, which adds to the load.";
    }
    finding.command = "requests";
    finding.impact = std::min(1.0, static_cast<double>(failed) / static_cast<double>(all));
    findings.push_back(std::move(finding));
  }
}

// Routes of which a few requests take most of the time, while nearly all others are quick.
void JudgeOutliers(const RequestReport& report, const OverviewRules& rules,
                   std::vector<Finding>& findings) {
  for (const RequestRow& row : report.served) {
    if (row.count < rules.many_requests || row.slowest_ns < rules.outlier_ns ||
        static_cast<double>(row.slowest_ns) <
            rules.outlier_factor * static_cast<double>(row.p99_ns) ||
        row.mean_ns() < row.p99_ns) {
      continue;
    }
    Finding finding;
    finding.kind = "slow-outliers";
    finding.subject = row.Name("without a route");
    finding.title = "A few of " + Plural(row.count, "request") + " to " + finding.subject +
                    " take " + FormatDuration(row.slowest_ns) + ", and most of the time of all";
    finding.evidence =
        "99 % take at most " + FormatDuration(row.p99_ns) + ", and all together " +
        FormatDuration(row.mean_ns()) + " on average. " +
        (report.model->facts.request_details_on ? "`hindsight requests` shows the slowest."
                                                : "`requests.details=on` records single requests.");
    finding.command = "requests";
    finding.impact = 0.1;
    findings.push_back(std::move(finding));
  }
}

Coverage JudgeSingle(const Reports& reports, const OverviewRules& rules,
                     std::vector<Finding>& findings) {
  const RequestReport& report = reports.events->requests;
  const RequestDetails& details = reports.events->model.requests.details;
  Coverage coverage;
  if (details.count == 0) {
    coverage.state = details.from_ns || reports.events->model.requests.finished == 0
                         ? Coverage::State::kNothingThere
                         : Coverage::State::kPartly;
    coverage.note = coverage.state == Coverage::State::kPartly
                        ? "Single requests could not be recorded: the process did not report them."
                        : "No single request was seen.";
    return coverage;
  }
  // In a loop, the most frequent command is reported; the others follow from it.
  uint64_t reported = 0;
  std::vector<std::string_view> routes;
  std::vector<const RequestPartRow*> rows;
  for (const RequestPartRow& row : report.work.commands) {
    if (IsRepeatedQuery(row, rules)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RequestPartRow* a, const RequestPartRow* b) {
    return a->per_request > b->per_request;
  });
  for (const RequestPartRow* row : rows) {
    if (std::find(routes.begin(), routes.end(), row->route) != routes.end()) continue;
    if (reported++ == rules.repeated_reported) break;
    routes.push_back(row->route);
    findings.push_back(Repeated(report, *row, rules));
  }
  JudgeRepeatedCalls(report.work, rules, findings);
  JudgeSlowRequests(*reports.events, rules, findings);
  uint64_t commands = 0;
  for (const RequestWorkRow& row : report.work.routes) commands += row.route->commands;
  coverage.looked_at =
      Plural(details.count, "single request") + ", " + Plural(commands, "database command");
  if (details.lacks_some) {
    coverage.state = Coverage::State::kPartly;
    coverage.note = "There were more kinds of commands than are kept.";
  }
  return coverage;
}

}  // namespace

std::string RouteName(const std::string& route) {
  return route.empty() ? "Requests without a route" : route;
}

bool SeesRequests(const Model& model) {
  return model.facts.request_details_on || model.requests.has_kinds();
}

Coverage JudgeRequests(const Reports& reports, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
  if (!reports.events || !SeesRequests(reports.events->model)) {
    return NotRecorded("+requests;requests.routes=on");
  }
  JudgeRoutes(reports, rules, findings);
  JudgeCalls(reports.events->requests, rules, findings);
  JudgeOutliers(reports.events->requests, rules, findings);
  if (reports.events->model.facts.request_details_on) return JudgeSingle(reports, rules, findings);
  Coverage coverage;
  uint64_t served = 0;
  for (const RequestRow& row : reports.events->requests.served) served += row.count;
  if (served == 0) {
    coverage.state = Coverage::State::kNothingThere;
    coverage.note = "No request was served.";
  } else {
    coverage.looked_at = Plural(served, "request") + " of " +
                         Plural(reports.events->requests.served.size(), "route");
  }
  return coverage;
}

}  // namespace hindsight::analyzer
