// Requests that spend their time in calls to other servers or in database commands; or in waits of
// which nothing else is known, unless all end in a timeout that somebody catches.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/request_ends.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// What a route's requests did for most of their time.
struct Waiting {
  enum class In : uint8_t { kDatabase, kCalls, kUnknown };
  double share = 0;         // of their time
  std::string what;         // "calls with HttpClient to api.shop:443"
  bool is_in_turn = false;  // many of them, each after the previous one
  In in = In::kUnknown;
};

std::string WhatThatIncludes(const Waiting& waiting) {
  switch (waiting.in) {
    case Waiting::In::kDatabase:
      return {};
    case Waiting::In::kCalls:  // which begin when they are made, not when their requests are sent
      return std::string(" That includes the time in which calls wait for a connection.") +
             (waiting.is_in_turn ? " Each begins when the previous one has ended: those that do "
                                   "not need each other's results could run at the same time "
                                   "(Task.WhenAll)."
                                 : "");
    case Waiting::In::kUnknown:
      break;
  }
  return " It is neither CPU time nor in locks, pauses, calls or commands: a task or other I/O is "
         "awaited, or a thread sleeps or blocks. `hindsight wall` shows the latter, and "
         "`hindsight tasks` after a `hindsight-trigger snapshot` the former.";
}

Waiting WaitingOf(const RequestWorkRow& row, const RequestWork& work) {
  const bool is_database = row.times.database_ns >= row.times.calls_ns;
  const uint64_t most_ns = std::max(row.times.database_ns, row.times.calls_ns);
  Waiting waiting;
  if (row.times.total_ns == 0) return waiting;
  waiting.share = static_cast<double>(most_ns) / static_cast<double>(row.times.total_ns);
  waiting.in = is_database ? Waiting::In::kDatabase : Waiting::In::kCalls;
  waiting.what = is_database ? "database commands" : "calls with HttpClient";
  const std::vector<RequestPartRow>& parts = is_database ? work.commands : work.calls;
  const auto most = std::ranges::find_if(parts, [&row](const RequestPartRow& part) {
    return !part.is_outside() && part.route == row.route->name;
  });
  if (most == parts.end()) return waiting;
  waiting.what += (is_database ? ", mostly " : " to ") + most->group->what;
  waiting.is_in_turn = most->AreInTurn();
  if (!most->place_name.empty()) waiting.what += ", in " + most->place_name;
  return waiting;
}

Waiting UnknownOf(const RequestWorkRow& row) {
  Waiting waiting;
  if (row.times.total_ns == 0) return waiting;
  waiting.share =
      static_cast<double>(row.times.unknown_ns) / static_cast<double>(row.times.total_ns);
  waiting.what = "waits that were not recorded";
  return waiting;
}

// The exceptions in which nearly all requests of a route end that take equally long; null: none.
const ExceptionFinding* TimeoutOf(const RequestWorkRow& row, const ExceptionReport& exceptions,
                                  const OverviewRules& rules) {
  const double least = static_cast<double>(row.p99_ns) * (1 - rules.timeout_unevenness);
  if (static_cast<double>(row.p50_ns) < least) return nullptr;
  const auto requests = static_cast<double>(row.route->count);
  for (const ExceptionFinding& found : exceptions.findings) {
    const auto count = static_cast<double>(found.group.count);
    if (!found.is_rest && found.ended_requests == 0 && count >= requests * rules.timeout_share &&
        count * rules.timeout_share <= requests &&
        IsTimeout(exceptions.names.RawType(found.type))) {
      return &found;
    }
  }
  return nullptr;
}

// `finding` is about requests that take long for an unknown reason: this is the reason.
void ExplainBy(const ExceptionFinding& timeout, const ExceptionReport& exceptions,
               const RequestWorkRow& row, Finding& finding, std::vector<Finding>& findings) {
  const MethodNames& names = exceptions.names;
  const MethodId method =
      timeout.thrown_again_in != 0 ? timeout.thrown_again_in : timeout.place.site;
  const std::string site = names.Display(method);
  std::erase_if(findings, [&](const Finding& other) {
    return other.kind == "retry-loop" && other.subject == site;
  });
  finding.severity = Severity::kWarning;
  finding.title = finding.subject + " takes " + FormatDuration(row.mean_ns()) +
                  " on average, until a timeout ends what it waits for";
  finding.evidence = Plural(row.route->count, "request") + "; half of them take at least " +
                     FormatDuration(row.p50_ns) + ", one in a hundred at least " +
                     FormatDuration(row.p99_ns) + ". About as many times, " +
                     names.Type(timeout.type) + " is thrown in " + site + ", and caught." +
                     MessageText("The first message", timeout);
}

}  // namespace

std::string WhereRequestsWait(const RequestWork& work, const OverviewRules& rules) {
  if (work.routes.empty() || 2 * work.routes.front().times.total_ns < work.total_ns()) return {};
  const Waiting waiting = WaitingOf(work.routes.front(), work);
  if (waiting.share < rules.slow_request_share) return {};
  return RouteName(work.routes.front().route->name) + " spent " + FormatPercent(waiting.share) +
         " of its time in " + waiting.what + "." + WhatThatIncludes(waiting);
}

void JudgeSlowRequests(const EventReports& events, const OverviewRules& rules,
                       std::vector<Finding>& findings) {
  const RequestWork& work = events.requests.work;
  // Streams, and requests that wait for news, are slow on purpose; and so is everything where there
  // are no processors.
  const bool knows_waits =
      !MayKeepRequestsOpen(events.model.dictionaries) && !events.pool.processors.is_short;
  constexpr size_t kReported = 3;
  const uint64_t all_ns = work.total_ns();
  size_t reported = 0;
  for (const RequestWorkRow& row : work.routes) {
    Waiting waiting = WaitingOf(row, work);
    if (waiting.share < rules.slow_request_share && knows_waits) waiting = UnknownOf(row);
    if (row.route->count < rules.slow_requests || row.mean_ns() < rules.slow_request_ns ||
        waiting.share < rules.slow_request_share) {
      continue;
    }
    if (reported++ == kReported) break;
    Finding finding;
    finding.kind = "slow-requests";
    finding.subject = RouteName(row.route->name);
    finding.title = finding.subject + " takes " + FormatDuration(row.mean_ns()) +
                    " on average, nearly all of it in " + waiting.what;
    finding.evidence = Plural(row.route->count, "request") + ", " + FormatPercent(waiting.share) +
                       " of their time; half of them take at least " + FormatDuration(row.p50_ns) +
                       ", one in a hundred at least " + FormatDuration(row.p99_ns) + "." +
                       WhatThatIncludes(waiting);
    finding.command = "requests";
    if (waiting.in == Waiting::In::kUnknown) {
      const ExceptionFinding* const timeout = TimeoutOf(row, events.exceptions, rules);
      if (timeout != nullptr) ExplainBy(*timeout, events.exceptions, row, finding, findings);
    }
    finding.impact = static_cast<double>(row.times.total_ns) / static_cast<double>(all_ns);
    findings.push_back(std::move(finding));
  }
}

}  // namespace hindsight::analyzer
