// Single requests: those that ask a database the same thing again and again.
#include <algorithm>
#include <string>
#include <string_view>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Only what reads is one question that could have been asked for all at once. What writes may have
// to be done one by one; what calls the database's own code does anything.
bool Reads(std::string_view command) {
  return command.starts_with("SELECT ") || command.starts_with("WITH ");
}

bool IsRepeated(const RequestPartRow& row, const OverviewRules& rules) {
  const RequestPartGroup& group = *row.group;
  return !row.is_outside() && Reads(group.what) && group.requests >= rules.repeating_requests &&
         row.often_per_request >= rules.repeated_commands &&
         row.mean_idle_ns() <= rules.repeated_idle_ns &&
         static_cast<double>(group.failed) <
             rules.repeated_failed * static_cast<double>(group.count);
}

Finding Repeated(const RequestReport& report, const RequestPartRow& row,
                 const OverviewRules& rules) {
  const RequestPartGroup& group = *row.group;
  Finding finding;
  finding.severity = row.stretch() >= rules.repeated_stretch ? Severity::kWarning : Severity::kNote;
  finding.kind = "repeated-command";
  finding.subject = row.place_name.empty() ? group.what : row.place_name;
  const std::string route = row.route.empty() ? "Requests without a route" : row.route;
  finding.title =
      route + ": the same command " + FormatRate(row.per_request) + " times a request (N+1)";
  if (!row.place_name.empty()) finding.title += ", in " + row.place_name;
  finding.evidence = group.what + (group.text.empty() ? "" : ": " + group.text) + "; " +
                     FormatCount(group.count) + " in " + Plural(group.requests, "request") +
                     ", up to " + FormatCount(row.most_per_request) + " in one, " +
                     FormatDuration(row.mean_ns()) + " each. From the first to the last, " +
                     FormatPercent(std::min(1.0, row.stretch())) + " of these requests' time.";
  finding.command = "requests";
  uint64_t all_ns = 0;
  for (const RequestWorkRow& work : report.work.routes) all_ns += work.times.total_ns;
  const double share =
      all_ns == 0 ? 0 : static_cast<double>(group.stretch_ns) / static_cast<double>(all_ns);
  finding.impact = std::min(1.0, share);
  return finding;
}

}  // namespace

Coverage JudgeRequests(const Reports& reports, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
  if (!reports.events || !reports.events->model.facts.request_details_on) {
    return NotRecorded("requests;requests.details=on");
  }
  const RequestReport& report = reports.events->requests;
  const RequestDetails& details = reports.events->model.requests.details;
  Coverage coverage;
  if (details.count == 0) {
    coverage.state = details.from_ns || reports.events->model.requests.finished == 0
                         ? Coverage::State::kNothingThere
                         : Coverage::State::kPartly;
    coverage.note = coverage.state == Coverage::State::kPartly
                        ? "Single requests could not be recorded: nothing told of them."
                        : "No single request was seen.";
    return coverage;
  }
  // Of one loop, the command that is asked most often tells; the others follow from it.
  uint64_t told = 0;
  std::vector<std::string_view> routes;
  std::vector<const RequestPartRow*> rows;
  for (const RequestPartRow& row : report.work.commands) {
    if (IsRepeated(row, rules)) rows.push_back(&row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RequestPartRow* a, const RequestPartRow* b) {
    return a->per_request > b->per_request;
  });
  for (const RequestPartRow* row : rows) {
    if (std::find(routes.begin(), routes.end(), row->route) != routes.end()) continue;
    if (told++ == rules.repeated_told) break;
    routes.push_back(row->route);
    findings.push_back(Repeated(report, *row, rules));
  }
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

}  // namespace hindsight::analyzer
