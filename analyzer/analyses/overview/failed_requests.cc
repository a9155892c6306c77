#include "analyzer/analyses/overview/failed_requests.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// Whether the requests that ended this way are many among those of one route, however much else was
// served.
bool FailsARoute(const std::string& type, const RequestReport& requests,
                 const OverviewRules& rules) {
  return std::ranges::any_of(requests.served, [&](const RequestRow& row) {
    uint64_t failed = 0;
    for (const RequestEnding& ending : row.endings) {
      if (ending.error == type) failed += ending.count;
    }
    return failed >= rules.failed_requests &&
           static_cast<double>(failed) >= rules.failed_route_share * static_cast<double>(row.count);
  });
}

// The routes of these requests, and their responses: a sentence.
std::string RoutesOf(const std::string& type, const RequestReport& requests) {
  constexpr size_t kMostRoutes = 2;
  if (!requests.model->facts.routes_on) {
    return "The route and the response are not recorded: `requests.routes=on` does that.";
  }
  std::vector<std::string> routes;
  for (const RequestRow& row : requests.served) {
    for (const RequestEnding& ending : row.endings) {
      if (ending.error != type) continue;
      routes.push_back(row.Name("without a route") + ", " + FormatCount(ending.count) + " of " +
                       Plural(row.count, "request") +
                       (ending.status.empty() ? "" : ", answered with " + ending.status));
    }
  }
  if (routes.empty()) return "The route and the response are not known.";
  std::string text = "Route: " + routes.front();
  for (size_t i = 1; i < std::min(routes.size(), kMostRoutes); ++i) text += "; " + routes[i];
  if (routes.size() > kMostRoutes) {
    text += "; and " + FormatCount(routes.size() - kMostRoutes) + " more";
  }
  return text + ".";
}

// " 38 of them are thrown in Shop.Bank.Connect, and 24 in 2 other places."; empty: there is one
// place.
std::string OthersOf(const FailedRequests& failed, const ExceptionReport& report) {
  if (failed.findings.size() == 1) return {};
  const ExceptionFinding& next = report.findings[failed.findings[1]];
  std::string text =
      " " + FormatCount(next.ended_requests) + " of them are thrown " + ThrownIn(report, next);
  uint64_t rest = 0;
  for (size_t i = 2; i < failed.findings.size(); ++i) {
    rest += report.findings[failed.findings[i]].ended_requests;
  }
  if (rest > 0) {
    text +=
        ", and " + FormatCount(rest) + " in " + Plural(failed.findings.size() - 2, "other place");
  }
  return text + ".";
}

// Of the same type; its own handler may be unknown.
FailedRequests* SameFailure(std::vector<FailedRequests>& all, const ExceptionFinding& found,
                            const ExceptionReport& report) {
  FailedRequests* same = nullptr;
  for (FailedRequests& failed : all) {
    if (report.findings[failed.findings.front()].type != found.type) continue;
    if (failed.handler == found.request_handler()) return &failed;
    if (failed.handler != 0 && found.request_handler() != 0) continue;
    if (same != nullptr) return nullptr;  // it may be either
    same = &failed;
  }
  return same;
}

// Whether the server answered most of them with a status below 500. Exceptions of requests that
// began before the recorder listened to the server are recorded, but their answers are not counted.
// They come early, so the second half of the time decides.
bool AreRefused(const FailedRequests& failed, const ExceptionReport& report) {
  const Requests& requests = report.model->requests;
  if (!requests.server_errors || requests.samples.empty()) return false;
  const int64_t from_ns = requests.samples.front().at_ns, to_ns = report.model->facts.last_ns;
  if (from_ns >= to_ns) return false;
  double later = 0;
  for (const size_t i : failed.findings) {
    const ExceptionFinding& found = report.findings[i];
    later += found.group.times.Resampled(from_ns, to_ns, 2)[1] *
             static_cast<double>(found.ended_requests) /
             static_cast<double>(std::max<uint64_t>(1, found.group.count));
  }
  return 4 * later >= static_cast<double>(failed.count) &&
         later > 2 * static_cast<double>(requests.FailedInAll());
}

}  // namespace

std::optional<double> PerRequest(uint64_t count, const ExceptionReport& report) {
  const uint64_t served = report.model->requests.finished;
  if (served == 0) return std::nullopt;
  return static_cast<double>(count) / static_cast<double>(served);
}

std::string RequestsText(uint64_t count, const ExceptionReport& report) {
  std::string text = Plural(count, "request");
  const uint64_t served = report.model->requests.finished;
  const std::optional<double> share = PerRequest(count, report);
  if (share && count <= served) {
    text += " of " + FormatCount(served) + " (" + FormatPercent(*share) + ")";
  }
  return text;
}

std::vector<FailedRequests> FailedRequestsOf(const ExceptionReport& report) {
  std::vector<size_t> order;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const ExceptionFinding& found = report.findings[i];
    if (found.ended_requests > 0 && !found.is_rest && !found.is_unhandled()) order.push_back(i);
  }
  // Those with a handler first, so that the others find them.
  std::ranges::stable_sort(order, std::greater(), [&report](size_t i) {
    const ExceptionFinding& found = report.findings[i];
    return std::pair(found.request_handler() != 0, found.ended_requests);
  });
  std::vector<FailedRequests> all;
  for (const size_t i : order) {
    const ExceptionFinding& found = report.findings[i];
    FailedRequests* failed = SameFailure(all, found, report);
    if (failed == nullptr) {
      failed = &all.emplace_back();
      failed->handler = found.request_handler();
    }
    failed->findings.push_back(i);
    failed->count += found.ended_requests;
  }
  for (FailedRequests& failed : all) {
    std::ranges::stable_sort(failed.findings, std::greater(),
                             [&report](size_t i) { return report.findings[i].ended_requests; });
    failed.is_refused = AreRefused(failed, report);
  }
  return all;
}

std::optional<Severity> SeverityOf(const FailedRequests& failed, const ExceptionReport& report,
                                   const RequestReport& requests, const OverviewRules& rules) {
  if (failed.is_refused) {
    return failed.count < rules.failed_requests ? std::nullopt : std::optional(Severity::kNote);
  }
  if (failed.count < rules.failed_requests) return Severity::kNote;
  const std::string& type = report.names.RawType(report.findings[failed.findings.front()].type);
  const std::optional<double> share = PerRequest(failed.count, report);
  if (!share || *share >= rules.failed_share || FailsARoute(type, requests, rules)) {
    return Severity::kWarning;
  }
  return Severity::kNote;
}

namespace {

// Whether an application's own exception handler probably answers it with a status below 500, by
// the type's name: the request was wrong, and is told so.
bool IsRefusal(const ExceptionReport& report, const ExceptionFinding& found) {
  constexpr std::string_view kHandler =
      "Microsoft.AspNetCore.Diagnostics.ExceptionHandlerMiddleware";
  constexpr std::string_view kNames[] = {"ValidationException",      "NotFoundException",
                                         "BadRequestException",      "ForbiddenException",
                                         "ForbiddenAccessException", "UnauthorizedException",
                                         "ConflictException"};
  const std::string& type = report.names.RawType(found.type);
  return found.catchers.size() == 1 && !type.starts_with("System.") &&
         report.names.Display(found.catchers.front().method).starts_with(kHandler) &&
         std::ranges::any_of(kNames,
                             [&type](std::string_view name) { return type.ends_with(name); });
}

}  // namespace

Finding FindingOf(const FailedRequests& failed, const ExceptionReport& report,
                  const RequestReport& requests, Severity severity) {
  const ExceptionFinding& found = report.findings[failed.findings.front()];
  Finding finding;
  finding.severity = severity;
  finding.kind = "failed-requests";
  finding.subject = report.names.Type(found.type);
  finding.title = RequestsText(failed.count, report) + " ended with " + finding.subject;
  if (failed.handler != 0) finding.title += ", in " + RouteHandlerNames(report.names, found);
  finding.evidence = "Thrown " + ThrownIn(report, found);
  if (found.catchers.size() == 1) {
    finding.evidence += ", caught only in " + report.names.Display(found.catchers.front().method);
  }
  finding.evidence += ".";
  finding.evidence += MessageText("The first message", found);
  finding.evidence += OthersOf(failed, report);
  finding.evidence += " " + RoutesOf(report.names.RawType(found.type), requests);
  const std::optional<uint64_t> errors = report.model->requests.server_errors;
  if (failed.is_refused) {
    finding.evidence +=
        " Your exception handler answered with a status below 500: the server counted " +
        (*errors == 0 ? "no" : FormatCount(*errors)) + " answers of 500 or more.";
  } else if (severity == Severity::kWarning && requests.served.empty() && !errors &&
             IsRefusal(report, found)) {
    finding.WarnUnlessDoubt(true);
    finding.evidence += " Your exception handler may have answered with a status below 500.";
  }
  finding.command = CommandWith("exceptions --type", finding.subject);
  finding.impact = std::min(1.0, PerRequest(failed.count, report).value_or(0.5));
  return finding;
}

}  // namespace hindsight::analyzer
