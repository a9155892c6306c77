#include "analyzer/report/timeline_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

using Kind = TimelineSeries::Kind;
using Mark = TimelineMark::Kind;

constexpr size_t kSeriesLabel = 17;
constexpr size_t kPeak = 20;

struct Signal {
  std::string_view label, key, unit;
};

const Signal& SignalOf(Kind kind) {
  static constexpr std::array<Signal, 13> kSignals = {{
      {"CPU", "cpu", "cores"},
      {"allocated", "allocations", "bytes_per_second"},
      {"paused", "pauses", "share_of_time"},
      {"heap", "heap", "bytes"},
      {"resident memory", "memory", "bytes"},
      {"compiling", "compiler", "threads"},
      {"exceptions", "exceptions", "per_second"},
      {"requests", "requests", "per_second"},
      {"in progress", "requests_in_progress", "requests"},
      {"pool: queued work", "pool_queue", "pieces_of_work"},
      {"pool: workers", "pool_workers", "workers"},
      {"threads", "threads", "threads"},
      {"open files", "open_files", "files"},
  }};
  return kSignals[static_cast<size_t>(kind)];
}

uint64_t Whole(double value) {
  return value > 0 ? static_cast<uint64_t>(std::min(value + 0.5, 9e18)) : 0;
}

std::string Decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), value < 10 ? "%.2f" : "%.1f", value);
  return text;
}

std::string Amount(Kind kind, double value) {
  switch (kind) {
    case Kind::kCpu:
      return Decimal(value) + (value == 1 ? " core" : " cores");
    case Kind::kAllocations:
      return FormatBytes(Whole(value)) + "/s";
    case Kind::kPauses:
      return FormatPercent(value) + " of time";
    case Kind::kHeap:
    case Kind::kMemory:
      return FormatBytes(Whole(value));
    case Kind::kCompiler:
      return Decimal(value) + " threads";
    case Kind::kInProgress:
      return value < 10 ? Decimal(value) : FormatCount(Whole(value));
    case Kind::kExceptions:
    case Kind::kRequests:
      return (value < 10 ? Decimal(value) : FormatCount(Whole(value))) + "/s";
    default:
      return FormatCount(Whole(value));
  }
}

std::string What(const Timeline& timeline, const TimelineMark& mark) {
  switch (mark.kind) {
    case Mark::kLongestPause:
      return "longest pause, " + FormatDuration(mark.ns);
    case Mark::kLongestWait:
      return "longest wait for a lock, " + FormatDuration(mark.ns) +
             (mark.method == 0 ? "" : ", in " + Printable(timeline.names.Display(mark.method)));
    case Mark::kMostCpu:
      return "most CPU time, " + Amount(Kind::kCpu, mark.amount);
    case Mark::kMostAllocations:
      return "most allocations, " + Amount(Kind::kAllocations, mark.amount);
    case Mark::kMostExceptions:
      return "most exceptions, " + Amount(Kind::kExceptions, mark.amount);
    case Mark::kMostRequests:
      return "most requests, " + Amount(Kind::kRequests, mark.amount);
    case Mark::kMostInProgress:
      return "most requests in progress, " + Amount(Kind::kInProgress, mark.amount);
    case Mark::kLongestQueue:
      return "most queued work, " + Plural(Whole(mark.amount), "work item");
    case Mark::kStarvation:
      return "thread pool starvation detected";
    case Mark::kRule:
      return "rule " + Printable(timeline.model->facts.rule_acts[mark.ns].rule);
    case Mark::kFatalError:
      return std::string(FatalErrorTitle(timeline.model->fatal_error->kind));
    case Mark::kHeapSnapshot:
      break;
  }
  return "heap snapshot " + std::to_string(mark.ns);
}

// A command that shows more, limited to the part if it accepts a time range.
std::string See(const Timeline& timeline, const TimelineMark& mark) {
  std::string command;
  switch (mark.kind) {
    case Mark::kLongestPause:
      command = "gc";
      break;
    case Mark::kMostCpu:
      command = "cpu";
      break;
    case Mark::kMostAllocations:
      command = "allocations";
      break;
    case Mark::kMostExceptions:
    case Mark::kFatalError:
      command = "exceptions";
      break;
    case Mark::kMostRequests:
    case Mark::kMostInProgress:
      command = "timeline";  // what else happened there
      break;
    case Mark::kLongestWait:
      return "locks";
    case Mark::kLongestQueue:
    case Mark::kStarvation:
      return "pool";
    case Mark::kRule:
      command = "timeline";
      break;
    case Mark::kHeapSnapshot:
      return "heap --snapshot " + std::to_string(mark.ns);
  }
  const auto part_ns = std::max<int64_t>(1'000'000, static_cast<int64_t>(timeline.PartNs()));
  const auto milliseconds = [](int64_t ns) {
    return std::to_string(std::max<int64_t>(0, ns) / 1'000'000) + "ms";
  };
  return command + " --from " + milliseconds(mark.at_ns) + " --to " +
         milliseconds(mark.at_ns + part_ns + 1'000'000);
}

std::string Axis(const Timeline& timeline, const TextStyle& style) {
  const std::string from = FormatMoment(timeline.from_ns);
  const std::string middle =
      FormatMoment(timeline.from_ns + (timeline.to_ns - timeline.from_ns) / 2);
  const std::string to = FormatMoment(timeline.to_ns);
  const size_t parts = timeline.parts;
  std::string axis = PadRight(from, parts / 2) + middle;
  const size_t left = parts > TextColumns(axis) ? parts - TextColumns(axis) : 0;
  axis += PadLeft(to, left);
  return std::string(2 + kSeriesLabel + 1, ' ') + Paint(style, Tone::kFaint, axis) + "\n";
}

std::string MarkLine(const Timeline& timeline) {
  std::string line(timeline.parts, ' ');
  for (size_t i = 0; i < timeline.marks.size(); ++i) {
    char& place = line[timeline.PartOf(timeline.marks[i].at_ns)];
    // If two are in the same part, the first is shown.
    if (place == ' ') place = i < 9 ? static_cast<char>('1' + i) : '*';
  }
  return line;
}

}  // namespace

uint32_t TimelineParts(const TextStyle& style) {
  const size_t taken = 2 + kSeriesLabel + 2 + kPeak;
  return static_cast<uint32_t>(std::max<size_t>(20, style.width > taken ? style.width - taken : 0));
}

std::string TimelineText(const Timeline& timeline, const TextStyle& style) {
  const Model& model = *timeline.model;
  std::string out =
      Paint(style, Tone::kStrong, "Timeline of " + RecordingTitle(model.facts)) + "\n\n";
  if (timeline.series.empty()) {
    AppendSentence(out, style, Tone::kStrong,
                   timeline.parts == 0 ? "The recording has no duration."
                                       : "No event for a timeline was recorded.");
    AppendLosses(out, style, model);
    return out;
  }
  AppendSentence(out, style, Tone::kStrong,
                 "From " + FormatMoment(timeline.from_ns) + " to " + FormatMoment(timeline.to_ns) +
                     "; each column is " + FormatDuration(Whole(timeline.PartNs())) +
                     "; each row is scaled to its own peak.");
  out += "\n" + Axis(timeline, style);
  for (const TimelineSeries& series : timeline.series) {
    out += "  " + PadRight(SignalOf(series.kind).label, kSeriesLabel) + "|" +
           Sparkline(style, series.values) + "| " + Amount(series.kind, series.peak) + "\n";
  }
  if (!timeline.marks.empty()) {
    out += "  " + PadRight("moments", kSeriesLabel) + "|" + MarkLine(timeline) + "|\n";
    Table table({{"", Table::Align::kRight},
                 {"at", Table::Align::kRight},
                 {"what", Table::Align::kLeft, true},
                 {"see", Table::Align::kLeft}});
    for (size_t i = 0; i < timeline.marks.size(); ++i) {
      const TimelineMark& mark = timeline.marks[i];
      table.AddRow({std::to_string(i + 1), FormatMoment(mark.at_ns), What(timeline, mark),
                    "hindsight " + See(timeline, mark)});
    }
    AppendSection(out, style, "Notable moments");
    out += table.Render(style, 2);
  }
  AppendLosses(out, style, model);
  out += "\n" +
         Paint(style, Tone::kFaint,
               Wrap("--from and --to zoom in. Signals that were not recorded have no row: "
                    "`hindsight info` shows the sources.",
                    style.width, 0)) +
         "\n";
  return out;
}

namespace {

Object<TimelineSeries> SeriesFields() {
  return {
      {"signal", "What it is about", [](auto& row) { return SignalOf(row.kind).key; }},
      {"unit", "Of values, peak and mean", [](auto& row) { return SignalOf(row.kind).unit; }},
      {"peak", "At most", &TimelineSeries::peak},
      {"peak_at_ns", "When it was largest", &TimelineSeries::peak_at_ns},
      {"mean", "Mean", &TimelineSeries::mean},
      {"values", "One a part", &TimelineSeries::values},
  };
}

Object<TimelineMark, Timeline> MomentFields() {
  return {
      {"at_ns", "When", &TimelineMark::at_ns},
      {"what", "A clause", [](auto& mark, auto& timeline) { return What(timeline, mark); }},
      {"see", "The command that shows more",
       [](auto& mark, auto& timeline) { return "hindsight " + See(timeline, mark); }},
  };
}

Object<Timeline, Timeline> TimelineFields() {
  return {
      HeadFields("timeline"),
      {"recording", "", RecordingFields(), kItsModel},
      {"from_ns", "Time range covered: from here", &Timeline::from_ns},
      {"to_ns", "... to here", &Timeline::to_ns},
      {"parts", "How many, of equal length", &Timeline::parts},
      {"series", "A row a signal", SeriesFields(), &Timeline::series},
      {"moments", "Notable moments, by time", MomentFields(), &Timeline::marks},
  };
}

}  // namespace

std::string TimelineJson(const Timeline& timeline) { return JsonOf(TimelineFields(), timeline); }

SharedShape TimelineShape() { return TimelineFields().shape(); }

}  // namespace hindsight::analyzer
