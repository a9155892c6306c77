#include <algorithm>
#include <cstdio>
#include <span>

#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/base/text.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/gc/gc_fields.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/paragraphs.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

using enum Table::Align;

class Writer {
 public:
  Writer(const GcReport& report, const GcTextOptions& options)
      : report_(report), options_(options), style_(options.style) {}

  std::string Write();

 private:
  void Summary();
  void Findings();
  void Kinds();
  void Reasons();
  void Worst();
  void OverTime();
  void Heap();
  void Compiler();
  void Foot();

  const GcReport& report_;
  const GcTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

void Writer::Summary() {
  out_ += Paint(style_, Tone::kStrong,
                "Garbage collection of " + RecordingTitle(report_.model->facts)) +
          "\n\n";
  const bool bad =
      !report_.findings.empty() && report_.findings.front().severity == GcFinding::Severity::kBad;
  AppendSentence(out_, style_, bad ? Tone::kBad : Tone::kStrong, GcVerdict(report_));
  if (report_.all.count == 0) return;
  std::string collections = Plural(report_.collections, "collection");
  if (report_.collections > 0) {
    collections += ": " + FormatCount(report_.counts[0]) + " gen0, " +
                   FormatCount(report_.counts[1]) + " gen1, " + FormatCount(report_.counts[2]) +
                   " gen2";
    if (report_.induced > 0) collections += "; " + FormatCount(report_.induced) + " induced";
  }
  AppendSentence(out_, style_, Tone::kStrong, collections + ".");
  const PauseSums& all = report_.all;
  std::string pauses =
      Plural(all.count, "pause") + ", " + FormatDuration(all.total_ns) + " in total";
  if (all.count > 1) {
    pauses += "; median " + FormatDuration(all.lengths.Quantile(0.5)) + ", 99th percentile " +
              FormatDuration(all.lengths.Quantile(0.99));
  }
  if (all.total_ns > 0) {
    pauses +=
        ". Suspending the threads took " +
        FormatPercent(static_cast<double>(all.stopping_ns) / static_cast<double>(all.total_ns)) +
        " of that, at most " + FormatDuration(all.longest_stopping_ns);
  }
  AppendSentence(out_, style_, Tone::kStrong, pauses + ".");
}

void Writer::Findings() {
  size_t rank = 0;
  for (const GcFinding& finding : report_.findings) {
    const GcSentences sentences = DescribeGcFinding(report_, finding);
    const Tone tone = finding.severity == GcFinding::Severity::kBad       ? Tone::kBad
                      : finding.severity == GcFinding::Severity::kWarning ? Tone::kWarning
                                                                          : Tone::kStrong;
    std::string right;
    if (finding.cost_ns > 0) {
      right = FormatDuration(finding.cost_ns) + ", " +
              FormatPercent(report_.ShareOfTime(finding.cost_ns));
    }
    AppendFindingTitle(out_, style_, ++rank, sentences.title, right, tone);
    AppendSentence(out_, style_, Tone::kStrong, sentences.evidence);
    AppendSentence(out_, style_, Tone::kStrong, "Next: " + sentences.next);
  }
}

void Writer::Kinds() {
  AppendTable(out_, style_, {"Pauses by cause", "cause"}, PauseGroupFields(), report_.groups,
              report_);
}

void Writer::Reasons() {
  AppendTable(out_, style_, {"Collections by reason", "kind", options_.top},
              CollectionGroupFields(), report_.reasons, Nothing());
}

// The report does not contain all pauses, so the number of others is not shown.
void Writer::Worst() {
  const size_t shown = ShownRows(report_.worst.size(), options_.top);
  AppendTable(out_, style_, {"Longest pauses", "pause"}, PauseFields(),
              std::span(report_.worst).first(shown), Nothing());
}

// One line per slice: its collections, its share of time in pauses as a bar, the heap as a bar.
void Writer::OverTime() {
  if (report_.slices.empty() || report_.all.count == 0) return;
  uint64_t largest_heap = 0;
  double largest_share = 0;
  const auto share_of = [](const GcSlice& slice) {
    const int64_t length = std::max<int64_t>(1, slice.to_ns - slice.from_ns);
    return static_cast<double>(slice.pause_ns) / static_cast<double>(length);
  };
  for (const GcSlice& slice : report_.slices) {
    largest_heap = std::max(largest_heap, slice.heap_bytes);
    largest_share = std::max(largest_share, share_of(slice));
  }
  constexpr size_t kFixed = 78;  // columns of everything except the bars
  const size_t room = style_.width > kFixed + 8 ? style_.width - kFixed : 8;
  const size_t heap_bar = largest_heap > 0 ? room / 2 : 0;
  const size_t pause_bar = room - heap_bar;
  std::vector<Table::Column> columns = {{"from", kRight}, {"gen0", kRight},    {"gen1", kRight},
                                        {"gen2", kRight}, {"longest", kRight}, {"paused", kRight},
                                        {"", kLeft}};
  if (largest_heap > 0) {
    columns.push_back({"heap after", kRight});
    columns.push_back({"", kLeft});
  }
  Table table(std::move(columns));
  for (const GcSlice& slice : report_.slices) {
    const double share = share_of(slice);
    std::vector<std::string> cells = {
        FormatMoment(slice.from_ns),
        CountOrBlank(slice.collections[0]),
        CountOrBlank(slice.collections[1]),
        CountOrBlank(slice.collections[2]),
        DurationOrBlank(slice.longest_pause_ns),
        share > 0 ? FormatPercent(share) : "",
        PadRight(Bar(style_, largest_share > 0 ? share / largest_share : 0, pause_bar), pause_bar)};
    if (largest_heap > 0) {
      cells.push_back(BytesOrBlank(slice.heap_bytes));
      cells.push_back(Bar(style_,
                          static_cast<double>(slice.heap_bytes) / static_cast<double>(largest_heap),
                          heap_bar));
    }
    table.AddRow(std::move(cells));
  }
  AppendSection(out_, style_, "Over time");
  out_ += table.Render(style_, 2);
}

// As many of the values as fit into `columns`: of each pair the larger one.
std::vector<double> Fitting(std::vector<double> values, size_t columns) {
  while (values.size() > std::max<size_t>(columns, 8)) {
    for (size_t i = 0; i < values.size() / 2; ++i) {
      values[i] = std::max(values[2 * i], values[2 * i + 1]);
    }
    values.resize(values.size() / 2);
  }
  return values;
}

void Writer::Heap() {
  if (report_.detailed == 0) return;
  constexpr size_t kFixed = 71;  // columns of everything except the values over time
  Table table({{"generation", kLeft},
               {"first", kRight},
               {"last", kRight},
               {"peak", kRight},
               {"free", kRight},
               {"promoted", kRight},
               {"over time", kLeft}});
  for (size_t i = 0; i < report_.generations.size(); ++i) {
    const GenerationTrend& trend = report_.generations[i];
    if (!trend.known) continue;
    std::vector<double> values;
    double last = 0;
    for (const GcSlice& slice : report_.slices) {
      if (slice.generation_bytes[i] != 0) last = static_cast<double>(slice.generation_bytes[i]);
      values.push_back(last);
    }
    table.AddRow(
        {std::string(GenerationLabel(i)), FormatBytes(trend.first_bytes),
         FormatBytes(trend.last_bytes), FormatBytes(trend.peak_bytes),
         BytesOrBlank(trend.last_free_bytes), BytesOrBlank(trend.promoted_bytes),
         Sparkline(style_, Fitting(values, style_.width - std::min(style_.width, kFixed)))});
  }
  AppendSection(out_, style_, "Heap after collections");
  out_ += table.Render(style_, 2);
  std::string text = "At most " + FormatBytes(report_.peak_heap_bytes) + ", at " +
                     FormatMoment(report_.peak_heap_at_ns);
  if (report_.peak_committed_bytes > 0) {
    text += "; at most " + FormatBytes(report_.peak_committed_bytes) + " committed";
  }
  if (report_.peak_memory_load > 0) {
    text += "; up to " + std::to_string(report_.peak_memory_load) +
            " % of the machine's or container's memory in use";
  }
  text += report_.heaps > 1 ? ". Server GC, " + Plural(report_.heaps, "heap") + "." : ".";
  out_ += "  " + Wrap(text, style_.width - 2, 2) + "\n";
}

void Writer::Compiler() {
  if (!report_.has_jit) return;
  std::string text = "JIT compiler: " + Plural(report_.jit_methods, "method") + " in " +
                     FormatDuration(report_.jit_ns);
  if (report_.jit_background_ns > 0) {
    text += ", plus " + FormatDuration(report_.jit_background_ns) + " of background tiering";
  }
  if (report_.r2r_rejected > 0) {
    text += "; of " + Plural(report_.r2r_rejected, "method") +
            " the precompiled code could not be used";
  }
  out_ += "\n" + Wrap(text + ".", style_.width, 0) + "\n";
}

void Writer::Foot() {
  AppendLosses(out_, style_, *report_.model);
  out_ += "\n";
  if (report_.collections > report_.detailed && report_.collections > 0) {
    const bool none = report_.detailed == 0;
    out_ += Wrap(none ? "Note: reasons and results of collections were not recorded: the source "
                        "`gc` was off, or the runtime reported nothing."
                      : "Note: of " + Plural(report_.collections - report_.detailed, "collection") +
                            " only the time is known.",
                 style_.width - 6, 6) +
            "\n";
  }
  if (report_.dropped_rows > 0) {
    out_ += Wrap("Note: the " + FormatCount(report_.dropped_rows) +
                     " shortest collections and pauses are omitted because of this tool's limit.",
                 style_.width - 6, 6) +
            "\n";
  }
  out_ += Paint(style_, Tone::kFaint,
                Wrap("`hindsight allocations` shows what is allocated and where; `hindsight "
                     "timeline`, what else happened. --from and --to select a time range.",
                     style_.width, 0)) +
          "\n";
}

std::string Writer::Write() {
  Summary();
  Findings();
  Kinds();
  Reasons();
  Worst();
  OverTime();
  Heap();
  Compiler();
  Foot();
  return std::move(out_);
}

}  // namespace

std::string GcText(const GcReport& report, const GcTextOptions& options) {
  return Writer(report, options).Write();
}

}  // namespace hindsight::analyzer
