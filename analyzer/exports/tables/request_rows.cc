#include <algorithm>

#include "analyzer/analyses/requests.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

SqlTable<RequestSample> RequestsOverTime() {
  return {"requests",
          "Requests served, over time: those that ended since the previous row",
          TableSource::kEvents,
          1,
          {Numbered<RequestSample>("sample"),
           {"at_ns", kAt, &RequestSample::at_ns},
           {"started", "", &RequestSample::started},
           {"finished", "", &RequestSample::finished},
           {"failed", "of finished", &RequestSample::failed},
           {"total_ns", "time of all in progress since then, together", &RequestSample::total_ns}}};
}

struct RouteRow {
  std::string_view side;
  const RequestRow* route = nullptr;
};

SqlTable<RouteRow> Routes() {
  return {
      "routes",
      "Requests served by route, and made by server (requests.routes=on)",
      TableSource::kEvents,
      1,
      {Numbered<RouteRow>("route"),
       {"side", "served, made", &RouteRow::side},
       {"method", "of HTTP", Of(&RouteRow::route, &RequestRow::method)},
       {"target", "served: the route's template; made: the server and its port",
        Of(&RouteRow::route, &RequestRow::target)},
       {"requests", "", Of(&RouteRow::route, &RequestRow::count)},
       {"failed", "of requests: see request_endings", Of(&RouteRow::route, &RequestRow::failed)},
       {"refused", "of requests: answered with 400 to 499",
        Of(&RouteRow::route, &RequestRow::refused)},
       {"total_ns", "from start to end, all together", Of(&RouteRow::route, &RequestRow::total_ns)},
       {"p50_ns", "estimated from those of each second, like the next two",
        Of(&RouteRow::route, &RequestRow::p50_ns)},
       {"p95_ns", "", Of(&RouteRow::route, &RequestRow::p95_ns)},
       {"p99_ns", "", Of(&RouteRow::route, &RequestRow::p99_ns)},
       {"slowest_ns", "99th percentile of the slowest second",
        Of(&RouteRow::route, &RequestRow::slowest_ns)},
       {"slowest_at_ns", "when that second ended, from the recording's start",
        Of(&RouteRow::route, &RequestRow::slowest_at_ns)}}};
}

struct EndingRow {
  uint64_t route = 0, ending = 0;
  const RequestEnding* facts = nullptr;
};

SqlTable<EndingRow> RequestEndings() {
  return {"request_endings",
          "How requests of a route ended",
          TableSource::kEvents,
          2,
          {{"route", "of routes", &EndingRow::route},
           {"ending", "numbered from 1, per route", &EndingRow::ending},
           {"status", "of the answer; empty: there was none",
            [](auto& row) { return row.facts->status; }},
           {"error", "type of the exception or error; empty: none",
            [](auto& row) { return row.facts->error; }},
           {"is_failure", "0 or 1", [](auto& row) { return row.facts->is_failure; }},
           {"requests", "", [](auto& row) { return row.facts->count; }}}};
}

SqlTable<RequestWorkRow> RequestWorkTable() {
  using Row = RequestWorkRow;
  return {"request_work",
          "What single requests did, by route (requests.details=on)",
          TableSource::kEvents,
          1,
          {Numbered<Row>("row"),
           {"route", "method and route, values as {name}; null: none matched",
            [](auto& row) { return KnownText(row.route->name); }},
           {"requests", "", [](auto& row) { return row.route->count; }},
           {"failed", "of requests: answered with 500 or above",
            [](auto& row) { return row.route->failed; }},
           {"refused", "of requests: answered with 400 to 499",
            [](auto& row) { return row.route->refused; }},
           {"total_ns", "from start to end, all together; what follows is of it",
            [](auto& row) { return row.times.total_ns; }},
           {"p50_ns", "", &Row::p50_ns},
           {"p95_ns", "", &Row::p95_ns},
           {"p99_ns", "", &Row::p99_ns},
           {"slowest_ns", "", &Row::slowest_ns},
           {"commands", "to databases", [](auto& row) { return row.route->commands; }},
           {"calls", "with HttpClient", [](auto& row) { return row.route->calls; }},
           {"database_ns", "at least one command under way",
            [](auto& row) { return row.times.database_ns; }},
           {"calls_ns", "at least one call under way, and no command",
            [](auto& row) { return row.times.calls_ns; }},
           {"cpu_ns", "attributed to the route by samples; null: not recorded",
            [](auto& row) { return row.times.cpu_ns; }},
           {"lock_ns", "waits for locks attributed to the route; null: not recorded",
            [](auto& row) { return row.times.lock_ns; }},
           {"pause_ns", "collections, outside of commands and calls; null: not recorded",
            [](auto& row) { return row.times.pause_ns; }},
           {"unknown_ns", "the rest", [](auto& row) { return row.times.unknown_ns; }}}};
}

struct PartRow {
  std::string_view kind;
  const RequestPartRow* part = nullptr;
};

// The part's text behind `member`; NULL if there is none.
template <typename Member>
auto TextOf(Member member) {
  return [member](const PartRow& row) { return KnownText(std::invoke(member, *row.part)); };
}

SqlTable<PartRow> RequestParts() {
  return {"request_parts",
          "Database commands and calls, by route (requests.details=on)",
          TableSource::kEvents,
          1,
          {Numbered<PartRow>("part"),
           {"kind", "command, call", &PartRow::kind},
           {"what", "verb and hash of the command, or host and port",
            [](auto& row) { return KnownText(row.part->group->what); }},
           {"text", "of the command (requests.details=texts)",
            [](auto& row) { return KnownText(row.part->group->text); }},
           {"in_request", "0 or 1", [](auto& row) { return !row.part->is_outside(); }},
           {"route", "null: none matched, or in no request", TextOf(&RequestPartRow::route)},
           {"place", "where most begin", TextOf(&RequestPartRow::place_name)},
           {"parts", "how many", [](auto& row) { return row.part->group->count; }},
           {"failed", "of these", [](auto& row) { return row.part->group->failed; }},
           {"total_ns", "", [](auto& row) { return row.part->group->total_ns; }},
           {"requests", "that made any", [](auto& row) { return row.part->group->requests; }},
           {"per_request", "of these, on average", [](auto& row) { return row.part->per_request; }},
           {"most_per_request", "", [](auto& row) { return row.part->most_per_request; }}}};
}

SqlTable<SingleRequest> SlowRequests() {
  return {
      "slow_requests",
      "The longest requests (requests.details=on)",
      TableSource::kEvents,
      1,
      {Numbered<SingleRequest>("request", "numbered from 1, longest first"),
       {"at_ns", kAt, &SingleRequest::at_ns},
       {"route", "null: none matched",
        [](auto& row, auto& in) {
          return KnownText(in.model->requests.details.routes[row.route].name);
        }},
       {"duration_ns", "", &SingleRequest::duration_ns},
       {"status", "of the answer", KnownId(&SingleRequest::status)},
       {"commands", "to databases", &SingleRequest::commands},
       {"database_ns", "at least one of them under way", &SingleRequest::database_ns},
       {"calls", "with HttpClient", &SingleRequest::calls},
       {"calls_ns", "at least one of them under way, and no command", &SingleRequest::calls_ns}}};
}

}  // namespace

std::vector<TableSchema> RequestTables() {
  return {RequestsOverTime(), Routes(),       RequestEndings(),
          RequestWorkTable(), RequestParts(), SlowRequests()};
}

void WriteRequests(const RowContext& context, TableWriter& writer) {
  const Requests& requests = context.model->requests;
  WriteRows(RequestsOverTime(), requests.samples, context, writer);
  WriteRows(SlowRequests(), requests.details.slowest, context, writer);
  constexpr std::string_view kOfAnalysis[] = {"routes", "request_endings", "request_work",
                                              "request_parts"};
  const auto is_wanted = [&writer](std::string_view table) { return writer.Wants(table); };
  if (!std::ranges::any_of(kOfAnalysis, is_wanted)) return;

  const RequestReport report = AnalyzeRequests(*context.model);
  std::vector<RouteRow> routes;
  for (const RequestRow& row : report.served) routes.push_back({"served", &row});
  for (const RequestRow& row : report.made) routes.push_back({"made", &row});
  WriteRows(Routes(), routes, context, writer);
  std::vector<EndingRow> endings;
  for (size_t i = 0; i < routes.size(); ++i) {
    uint64_t number = 0;
    for (const RequestEnding& ending : routes[i].route->endings) {
      endings.push_back({i + 1, ++number, &ending});
    }
  }
  WriteRows(RequestEndings(), endings, context, writer);

  WriteRows(RequestWorkTable(), report.work.routes, context, writer);
  std::vector<PartRow> parts;
  for (const RequestPartRow& row : report.work.commands) parts.push_back({"command", &row});
  for (const RequestPartRow& row : report.work.calls) parts.push_back({"call", &row});
  WriteRows(RequestParts(), parts, context, writer);
}

}  // namespace hindsight::analyzer
