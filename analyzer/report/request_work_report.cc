#include "analyzer/report/request_work_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/paragraphs.h"

namespace hindsight::analyzer {
namespace {

constexpr std::string_view kNoRoute = "no route";
constexpr size_t kShownSlowest = 5;
constexpr std::string_view kCommand = "command", kServer = "server";

std::string RouteText(const std::string& route) {
  return Printable(route.empty() ? std::string(kNoRoute) : route);
}

// 31; 2.4
std::string EachText(double count) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), count >= 10 || count == 1 ? "%.0f" : "%.1f", count);
  return text.data();
}

std::string PartText(std::optional<uint64_t> ns, uint64_t all_ns) {
  if (!ns) return "?";
  if (*ns == 0 || all_ns == 0) return "-";
  return FormatPercent(static_cast<double>(*ns) / static_cast<double>(all_ns));
}

Object<RequestTimes, RequestReport> TimesFields() {
  return {
      {"total_ns", "Of all requests of the route together", &RequestTimes::total_ns},
      {"database_ns", "At least one database command was under way", &RequestTimes::database_ns},
      {"calls_ns", "At least one call with HttpClient was, and no command",
       &RequestTimes::calls_ns},
      {"cpu_ns",
       "CPU time that stacks or threads show to be the route's, outside of commands; null: not "
       "recorded",
       &RequestTimes::cpu_ns},
      {"lock_ns", "Waits for locks attributed to it; null: not recorded", &RequestTimes::lock_ns},
      {"pause_ns",
       "Pauses for collections, but for the part that commands and calls take; null: not recorded",
       &RequestTimes::pause_ns},
      {"unknown_ns",
       "The rest: waits for a processor, for the thread pool, for tasks, for other I/O",
       &RequestTimes::unknown_ns},
  };
}

Object<RequestWorkRow, RequestReport> WorkRowFields() {
  return {
      {"route", "Method and route, values as {name}; null: none matched",
       [](auto& row) { return IfKnown(!row.route->name.empty(), row.route->name); }},
      {"count", "How many ended", [](auto& row) { return row.route->count; },
       TextColumn("requests")},
      {"failed", "Part of them, answered with 500 or above",
       [](auto& row) { return row.route->failed; }, TextColumn("5xx").BlankZero()},
      {"refused", "Part of them, answered with 400 to 499",
       [](auto& row) { return row.route->refused; }, TextColumn("4xx").BlankZero()},
      {"mean_ns", "On average", &RequestWorkRow::mean_ns, TextColumn("mean")},
      {"p50_ns", "The median", &RequestWorkRow::p50_ns, TextColumn("p50")},
      {"p95_ns", "The 95th percentile", &RequestWorkRow::p95_ns, TextColumn("p95")},
      {"p99_ns", "The 99th percentile", &RequestWorkRow::p99_ns, TextColumn("p99")},
      {"slowest_ns", "The longest", &RequestWorkRow::slowest_ns, TextColumn("slowest")},
      {TextColumn("route").Shrinks(), [](auto& row) { return RouteText(row.route->name); }},
      {"commands", "To databases", [](auto& row) { return row.route->commands; }},
      {"calls", "With HttpClient", [](auto& row) { return row.route->calls; }},
      {"cpu_samples", "That times.cpu_ns comes from", &RequestWorkRow::cpu_samples},
      {"times", "What their time consisted of", TimesFields(), &RequestWorkRow::times},
  };
}

// `noun`: command or server.
Object<RequestPartRow, RequestReport> PartRowFields(std::string_view noun) {
  const bool are_commands = noun == kCommand;
  const auto what = [are_commands](const RequestPartRow& row) {
    std::string text =
        row.group->what.empty() ? std::string("unknown") : Printable(row.group->what);
    text += row.is_outside() ? ", in no request" : ", " + RouteText(row.route);
    if (are_commands && !row.place_name.empty()) text += ", in " + row.place_name;
    return text;
  };
  return {
      {"what", "Verb and hash of the command, or host and port; null: not known",
       [](auto& row) { return IfKnown(!row.group->what.empty(), row.group->what); }},
      {"text", "Of the command, without its values (requests.details=texts); null: not recorded",
       [](auto& row) { return IfKnown(!row.group->text.empty(), row.group->text); }},
      {"in_request", "Whether they belong to requests that were seen",
       [](auto& row) { return !row.is_outside(); }},
      {"route", "Of these; null: none matched",
       [](auto& row) { return IfKnown(!row.route.empty(), row.route); }},
      {"count", "How many", [](auto& row) { return row.group->count; }, TextColumn("count")},
      {"failed", "Part of them", [](auto& row) { return row.group->failed; },
       TextColumn("failed").BlankZero()},
      {TextColumn("a request").AlignsRight(),
       [](auto& row) { return row.is_outside() ? std::string() : EachText(row.per_request); }},
      {TextColumn("at most").AlignsRight(),
       [](auto& row) {
         return row.is_outside() ? std::string() : FormatCount(row.most_per_request);
       }},
      {"total_ns", "All together", [](auto& row) { return row.group->total_ns; },
       TextColumn("total").Last()},
      {TextColumn(noun).Last().Shrinks(), what},
      {"mean_ns", "On average", &RequestPartRow::mean_ns, TextColumn("mean")},
      {"requests", "That made any", [](auto& row) { return row.group->requests; }},
      {"per_request", "Of these, on average", &RequestPartRow::per_request},
      {"most_per_request", "In one request", &RequestPartRow::most_per_request},
      {"often_per_request", "In one of ten requests as many or more",
       &RequestPartRow::often_per_request},
      {"mean_idle_ns", "In a request, from the end of one to the begin of the next",
       &RequestPartRow::mean_idle_ns},
      {"stretch", "Part of the requests' time from the first one's begin to the last one's end",
       &RequestPartRow::stretch},
      {"place", "Where most of them begin; null: not known",
       [](auto& row) { return IfKnown(!row.place_name.empty(), row.place_name); }},
  };
}

// Blank if there were none.
std::string TimeIfAny(uint64_t count, uint64_t ns) { return count == 0 ? "" : FormatDuration(ns); }

Object<SingleRequest, RequestReport> SingleFields() {
  return {
      {"route", "Method and route; null: none matched",
       [](auto& row, auto& report) {
         const std::string& name = report.model->requests.details.routes[row.route].name;
         return IfKnown(!name.empty(), name);
       }},
      {"at_ns", "When it began", &SingleRequest::at_ns, TextColumn("began at")},
      {"duration_ns", "From start to end", &SingleRequest::duration_ns, TextColumn("took").First()},
      {"status", "Of the answer; null: not known",
       [](auto& row) { return IfKnown(row.status != 0, row.status); }},
      {"commands", "To databases", &SingleRequest::commands, TextColumn("commands").BlankZero()},
      {"database_ns", "At least one of them was under way", &SingleRequest::database_ns},
      {TextColumn("in these").AlignsRight(),
       [](auto& row) { return TimeIfAny(row.commands, row.database_ns); }},
      {"calls", "With HttpClient", &SingleRequest::calls, TextColumn("calls").BlankZero()},
      {"calls_ns", "At least one of them was under way, and no command", &SingleRequest::calls_ns},
      {TextColumn("in these").AlignsRight(),
       [](auto& row) { return TimeIfAny(row.calls, row.calls_ns); }},
      {TextColumn("status").AlignsRight(),
       [](auto& row) { return row.status == 0 ? std::string() : std::to_string(row.status); }},
      {TextColumn("route").Shrinks(),
       [](auto& row, auto& report) {
         return RouteText(report.model->requests.details.routes[row.route].name);
       }},
  };
}

// What times consisted of, as shares; JSON has the times themselves, in `times`.
Object<RequestWorkRow> TimeColumns() {
  const auto share = [](const char* title, auto part) {
    return Field<RequestWorkRow>(TextColumn(title).AlignsRight(), [part](auto& row) {
      return PartText(row.times.*part, row.times.total_ns);
    });
  };
  return {
      {TextColumn("time").AlignsRight(),
       [](auto& row) { return FormatDuration(row.times.total_ns); }},
      share("database", &RequestTimes::database_ns),
      share("calls", &RequestTimes::calls_ns),
      share("CPU", &RequestTimes::cpu_ns),
      share("locks", &RequestTimes::lock_ns),
      share("GC", &RequestTimes::pause_ns),
      share("unknown", &RequestTimes::unknown_ns),
      {TextColumn("route").Shrinks(), [](auto& row) { return RouteText(row.route->name); }},
  };
}

class RequestWorkWriter {
 public:
  RequestWorkWriter(std::string& out, const TextStyle& style, const RequestReport& report,
                    size_t top)
      : out_(out), style_(style), report_(report), top_(top) {}

  void Write() {
    if (report_.work.routes.empty()) {
      AppendSection(out_, style_, "Single requests");
      Sentence(Tone::kWarning,
               Details().from_ns
                   ? "No request of an ASP.NET Core server ended while they were recorded."
                   : "They could not be recorded: the process did not report them, or it ended too "
                     "soon.");
    } else {
      Durations();
      Times();
    }
    Parts(report_.work.commands, "Database commands", kCommand);
    Parts(report_.work.calls, "Calls with HttpClient", kServer);
    if (!report_.work.calls.empty()) {
      out_ += "\n";
      Sentence(Tone::kFaint,
               "Calls that `failed` had no answer. One with a status of 500 is an answer: "
               "`requests.routes=on` counts those.");
    }
    Slowest();
    if (Details().lacks_some) {
      out_ += "\n";
      Sentence(Tone::kWarning,
               "There were more routes, or kinds of commands, than are kept: some are missing.");
    }
  }

 private:
  const RequestDetails& Details() const { return report_.model->requests.details; }
  void Sentence(Tone tone, std::string_view text) { AppendSentence(out_, style_, tone, text); }

  void Durations() {
    AppendTable(out_, style_, {"Single requests, by route", "route", top_}, WorkRowFields(),
                report_.work.routes, report_);
  }

  void Times() {
    AppendSection(out_, style_, "What their time consisted of");
    out_ += TableOf(style_, TimeColumns(), report_.work.routes, Nothing(),
                    ShownRows(report_.work.routes.size(), top_)) +
            "\n";
    Sentence(
        Tone::kFaint,
        "Commands, calls and collections are exact, each moment counted once; CPU time and "
        "locks are those that stacks or threads show to be the route's, by sampling. `unknown` is "
        "the rest: waits for a processor, for the thread pool, for tasks and for other I/O are not "
        "seen." +
            std::string(HasMoreCpuThanTime() ? " CPU time can be more than the time: it is an "
                                               "estimate, and a request may use several processors."
                                             : ""));
  }

  bool HasMoreCpuThanTime() const {
    return std::ranges::any_of(report_.work.routes, [](const RequestWorkRow& row) {
      return row.times.cpu_ns.value_or(0) > row.times.total_ns;
    });
  }

  void Parts(const std::vector<RequestPartRow>& rows, std::string_view title,
             std::string_view noun) {
    AppendTable(out_, style_, {title, noun, top_}, PartRowFields(noun), rows, report_);
    const size_t shown = ShownRows(rows.size(), top_);
    std::string texts;
    for (size_t i = 0; i < shown; ++i) {
      const RequestPartGroup& group = *rows[i].group;
      const std::string line = group.what + ": " + Printable(group.text);
      if (group.text.empty() || texts.find(line) != texts.npos) continue;
      texts += line + "\n";
    }
    if (!texts.empty()) {
      out_ += "\n";
      while (!texts.empty()) {
        const size_t end = texts.find('\n');
        Sentence(Tone::kFaint, texts.substr(0, end));
        texts.erase(0, end + 1);
      }
    }
  }

  // The report does not contain all requests, so the number of others is not shown.
  void Slowest() {
    const std::span<const SingleRequest> rows = Details().slowest;
    AppendTable(out_, style_, {"The slowest", "request"}, SingleFields(),
                rows.first(std::min(rows.size(), kShownSlowest)), report_);
  }

  std::string& out_;
  const TextStyle& style_;
  const RequestReport& report_;
  const size_t top_;
};

}  // namespace

void AppendRequestWork(std::string& out, const TextStyle& style, const RequestReport& report,
                       size_t top) {
  if (!report.model->facts.request_details_on) return;
  RequestWorkWriter(out, style, report, top).Write();
}

Object<RequestReport, RequestReport> RequestWorkFields() {
  return {
      {"from_ns", "Requests that began after this time are included; null: none are",
       [](auto& report) { return report.model->requests.details.from_ns; }},
      {"count", "Number of these requests",
       [](auto& report) { return report.model->requests.details.count; }},
      {"is_partial", "There were more routes, or kinds of commands, than are kept",
       [](auto& report) { return report.model->requests.details.lacks_some; }},
      {"routes", "By route, most time first", WorkRowFields(),
       [](auto& report) -> decltype(auto) { return (report.work.routes); }},
      {"commands", "To databases, by command and route, most time first", PartRowFields(kCommand),
       [](auto& report) -> decltype(auto) { return (report.work.commands); }},
      {"calls", "With HttpClient, by server and route, most time first", PartRowFields(kServer),
       [](auto& report) -> decltype(auto) { return (report.work.calls); }},
      {"slowest", "The longest requests, longest first", SingleFields(),
       [](auto& report) -> decltype(auto) { return (report.model->requests.details.slowest); }},
  };
}

}  // namespace hindsight::analyzer
