#include "analyzer/report/requests_report.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/model/how_to_record.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/request_work_report.h"

namespace hindsight::analyzer {
namespace {

// "12 with 500, System.InvalidOperationException"
std::string EndingText(const RequestEnding& ending) {
  const std::string how = Printable(ending.How());
  return FormatCount(ending.count) + (how.empty() ? "" : " with " + how);
}

constexpr size_t kWideEnough = 100;  // for columns that are not always needed

struct RequestSide {
  std::vector<RequestRow> RequestReport::*rows;
  std::string_view noun;            // what distinguishes them
  std::string_view without_target;  // replaces an unknown one
};
constexpr RequestSide kServed{&RequestReport::served, "route", "no route"};
constexpr RequestSide kMade{&RequestReport::made, "server", "unknown"};

Object<RequestEnding> RequestEndingFields() {
  return {
      {"status", "Of the answer; null: there was none",
       [](auto& ending) { return IfKnown(!ending.status.empty(), ending.status); }},
      {"error", "Type of the exception, or what the framework calls the error; null: none",
       [](auto& ending) { return IfKnown(!ending.error.empty(), ending.error); }},
      {"is_failure", "A status of 500 and above, or an error", &RequestEnding::is_failure},
      {"is_refusal", "A status of 400 to 499, and no error", &RequestEnding::is_refusal},
      {"count", "How many", &RequestEnding::count},
  };
}

// As a share of the time of all rows.
std::string ShareOfTime(const RequestRow& row, const std::vector<RequestRow>& rows) {
  uint64_t all_ns = 0;
  for (const RequestRow& other : rows) all_ns += other.total_ns;
  return FormatPercent(
      all_ns == 0 ? 0 : static_cast<double>(row.total_ns) / static_cast<double>(all_ns));
}

Object<RequestRow, RequestReport> RequestRowFields(const RequestSide& side) {
  return {
      {"method", "Of HTTP", &RequestRow::method},
      {"target", "The route's template, or the server and its port; null: none matched",
       [](auto& row) { return IfKnown(!row.target.empty(), row.target); }},
      {"count", "How many ended", &RequestRow::count, TextColumn("requests")},
      {"failed", "Part of them, see endings", &RequestRow::failed,
       TextColumn("failed").BlankZero()},
      {"refused", "Part of them, answered with 400 to 499", &RequestRow::refused,
       TextColumn("refused").BlankZero()},
      {"total_ns", "From start to end, all together", &RequestRow::total_ns},
      {TextColumn("share").AlignsRight().WhenWide(kWideEnough),
       [rows = side.rows](auto& row, auto& report) { return ShareOfTime(row, report.*rows); }},
      {"mean_ns", "On average", &RequestRow::mean_ns, TextColumn("mean").WhenWide(kWideEnough)},
      {"p50_ns", "The median, estimated from those of each second", &RequestRow::p50_ns,
       TextColumn("p50")},
      {"p95_ns", "The 95th percentile, estimated likewise", &RequestRow::p95_ns, TextColumn("p95")},
      {"p99_ns", "The 99th percentile, estimated likewise", &RequestRow::p99_ns, TextColumn("p99")},
      {"slowest_ns", "The 99th percentile of the slowest second", &RequestRow::slowest_ns,
       TextColumn("slowest").WhenWide(kWideEnough)},
      {"slowest_at_ns", "When that second ended", &RequestRow::slowest_at_ns,
       TextColumn("at").WhenWide(kWideEnough)},
      {TextColumn(side.noun).Shrinks(),
       [without = side.without_target](auto& row) { return Printable(row.Name(without)); }},
      {"endings", "How they ended: failures first, then refusals", RequestEndingFields(),
       &RequestRow::endings},
  };
}

// "; 7 failed with an exception, 12 were answered with a status of 500 or more"; empty: none did.
std::string FailuresText(const Requests& requests) {
  std::string text;
  if (requests.failed > 0) text = FormatCount(requests.failed) + " failed with an exception";
  if (requests.server_errors.value_or(0) > 0) {
    text += (text.empty() ? "" : ", ") + FormatCount(*requests.server_errors) +
            " were answered with a status of 500 or more";
  }
  return text.empty() ? text : "; " + text;
}

class RequestsTextWriter {
 public:
  RequestsTextWriter(const RequestReport& report, const RequestsTextOptions& options,
                     const TextStyle& style)
      : report_(report), options_(options), style_(style), model_(*report.model) {}

  std::string Write() {
    out_ = Paint(style_, Tone::kStrong, "Requests of " + RecordingTitle(model_.facts)) + "\n\n";
    Summary();
    Side(kServed, "Served, by route");
    Side(kMade, "Made, by server");
    Foot();
    AppendRequestWork(out_, style_, report_, options_.top);
    AppendLosses(out_, style_, model_);
    return std::move(out_);
  }

 private:
  // Wide enough for columns that are not always needed.
  bool IsWide() const { return style_.width >= kWideEnough; }

  void Sentence(Tone tone, std::string_view text) { AppendSentence(out_, style_, tone, text); }

  void Summary() {
    const Requests& requests = model_.requests;
    if (!model_.facts.requests_on) {
      return Sentence(Tone::kStrong,
                      "Requests were not recorded: " + HowToRecord(model_.facts, "requests"));
    }
    if (requests.finished == 0 && report_.served.empty() && report_.made.empty() &&
        report_.work.routes.empty()) {
      Sentence(Tone::kStrong,
               requests.started == 0
                   ? "No request to an ASP.NET Core server began or ended in this time."
                   : "No request ended: " + FormatCount(requests.started) +
                         " had not when the recording did.");
    } else if (requests.finished > 0) {
      Sentence(Tone::kStrong, ServedText(model_) + ".");
    }
    if (!model_.facts.routes_on) {
      if (!model_.facts.request_details_on) {
        Sentence(Tone::kStrong,
                 "Routes were not recorded: record with `requests.routes=on`, or single requests "
                 "with their database commands by `requests.details=on`.");
      }
    } else if (requests.is_refused) {
      Sentence(Tone::kWarning,
               report_.served.empty()
                   ? "Routes could not be recorded: another tool was reading the metrics of the "
                     "process, with other settings."
                   : "Another tool was reading the metrics of the process, with other settings: "
                     "only what it requested is known.");
    } else if (!requests.kinds_from_ns && report_.served.empty()) {
      Sentence(Tone::kWarning,
               "Routes are unknown: the process has no metrics (.NET 8 and later have), or ended "
               "too soon.");
    } else {
      Unknown();
    }
  }

  // The number of requests whose route is unknown.
  void Unknown() {
    uint64_t known = 0;
    for (const RequestRow& row : report_.served) known += row.count;
    const uint64_t all = model_.requests.finished;
    if (known >= all) return;
    std::string text =
        "Routes are known of " + FormatCount(known) + " of " + Plural(all, "request") + ": ";
    if (const std::optional<int64_t> from_ns = model_.requests.kinds_from_ns) {
      text += "of those that ended after " + FormatMoment(*from_ns) + ", ";
    }
    Sentence(Tone::kWarning, text + "without the last second of the server.");
  }

  void Side(const RequestSide& side, std::string_view title) {
    const std::vector<RequestRow>& rows = report_.*side.rows;
    // What single requests took is exact, and comes below.
    const bool is_below = side.rows == kServed.rows && !report_.work.routes.empty();
    if (!is_below) {
      AppendTable(out_, style_, {title, side.noun, options_.top}, RequestRowFields(side), rows,
                  report_);
    }
    for (size_t i = 0; i < ShownRows(rows.size(), options_.top); ++i) {
      Endings(rows[i], side.without_target, "failed", &RequestEnding::is_failure, Tone::kBad);
      Endings(rows[i], side.without_target, "refused", &RequestEnding::is_refusal, Tone::kWarning);
    }
  }

  // "GET /orders/{id} failed: 12 with 500, System.InvalidOperationException."
  void Endings(const RequestRow& row, std::string_view without_target, std::string_view what,
               bool RequestEnding::*is_shown, Tone tone) {
    std::string text;
    for (const RequestEnding& ending : row.endings) {
      if (!(ending.*is_shown)) continue;
      text += (text.empty() ? "" : "; ") + EndingText(ending);
    }
    if (text.empty()) return;
    out_ += "\n";
    Sentence(tone,
             Printable(row.Name(without_target)) + " " + std::string(what) + ": " + text + ".");
  }

  void Foot() {
    const bool has_served = !report_.served.empty() && report_.work.routes.empty();
    if (!has_served && report_.made.empty()) return;
    out_ += "\n";
    if (model_.requests.lacks_kinds) {
      Sentence(Tone::kWarning,
               "There were more kinds of requests than are kept: some are missing here.");
    }
    std::string text =
        "Counts and times are exact; percentiles are estimates, from those of each second.";
    if (IsWide()) {
      text +=
          " `share` is that of the time of all; `slowest` is the 99th percentile of the second in "
          "which it was the longest, and that second ended at `at`.";
    }
    Sentence(Tone::kFaint, text);
  }

  const RequestReport& report_;
  const RequestsTextOptions& options_;
  const TextStyle& style_;
  const Model& model_;
  std::string out_;
};

Object<Requests> RequestSumFields() {
  return {
      {"started", "Began during the recording", &Requests::started},
      {"finished", "Of those, ended", &Requests::finished},
      {"began_before", "In progress when the recording began, as far as known",
       &Requests::began_before},
      {"failed", "Of those, with an exception that nothing handled", &Requests::failed},
      {"server_errors", "Answered with a status of 500 or more; null: not recorded",
       &Requests::server_errors},
      {"total_ns", "Of finished, from start to end", &Requests::total_ns},
  };
}

Object<RequestReport, RequestReport> RequestReportFields() {
  constexpr auto kItsRequests = [](auto& report) -> auto& { return report.model->requests; };
  return {
      HeadFields("requests"),
      {"recording", "", RecordingFields(), kItsModel},
      {"all", "Served by ASP.NET Core, whatever the route", RequestSumFields(), kItsRequests},
      {"routes_recorded", "Whether routes were to be recorded (requests.routes=on)",
       [](auto& report) { return report.model->facts.routes_on; }},
      {"routes_refused", "Because another tool was reading the metrics of the process",
       [](auto& report) { return report.model->requests.is_refused; }},
      {"routes_from_ns", "From when on requests are known by route; null: never",
       [](auto& report) { return report.model->requests.kinds_from_ns; }},
      {"is_partial", "There were more kinds of requests than are kept",
       [](auto& report) { return report.model->requests.lacks_kinds; }},
      {"served", "By method and route, most time first", RequestRowFields(kServed),
       &RequestReport::served},
      {"made", "With HttpClient, by method and server, most time first", RequestRowFields(kMade),
       &RequestReport::made},
      {"details", "Of single requests (requests.details); null: not recorded", RequestWorkFields(),
       [](auto& report) { return report.model->facts.request_details_on ? &report : nullptr; }},
  };
}

}  // namespace

std::string MeanRequestText(const MeanRequest& mean) {
  const std::string most = FormatDuration(mean.most_ns);
  if (mean.is_known()) return most + " on average";
  if (mean.about_ns) return "about " + FormatDuration(*mean.about_ns) + " on average";
  if (mean.least_ns == 0) return "at most " + most + " on average";
  return FormatDuration(mean.least_ns) + " to " + most + " on average";
}

std::string ServedText(const Model& model) {
  const Requests& requests = model.requests;
  const double seconds = static_cast<double>(model.facts.last_ns) / 1e9;
  const std::optional<MeanRequest> mean = MeanRequestOf(requests);
  std::string text = Plural(requests.finished, "request") + " served";
  if (mean) text += ", " + MeanRequestText(*mean);
  if (seconds > 0) {
    const double rate = static_cast<double>(requests.finished) / seconds;
    text += ", " + FormatCount(static_cast<uint64_t>(rate + 0.5)) + " per second";
  }
  text += FailuresText(requests);
  if (!mean || !mean->is_known()) {
    text += "; " + FormatCount(requests.in_progress()) + " had not ended when the recording did";
  }
  return text;
}

std::string RequestsText(const RequestReport& report, const RequestsTextOptions& options,
                         const TextStyle& style) {
  return RequestsTextWriter(report, options, style).Write();
}

std::string RequestsJson(const RequestReport& report) {
  return JsonOf(RequestReportFields(), report);
}

SharedShape RequestsShape() { return RequestReportFields().shape(); }

}  // namespace hindsight::analyzer
