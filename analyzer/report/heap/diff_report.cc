#include "analyzer/report/heap/diff_report.h"

#include <algorithm>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<Trend> kTrends[] = {{Trend::kGrew, "grew"},
                                    {Trend::kGrows, "grows"},
                                    {Trend::kLevelledOff, "levelled_off"},
                                    {Trend::kComesAndGoes, "comes_and_goes"},
                                    {Trend::kShrank, "shrank"}};

std::string TrendText(Trend trend, size_t heaps) {
  switch (trend) {
    case Trend::kGrew:
      return "grew";
    case Trend::kGrows:
      return "growing, over " + FormatCount(heaps) + " snapshots: probably a leak";
    case Trend::kLevelledOff:
      return "grew, then leveled off: not a leak so far";
    case Trend::kComesAndGoes:
      return "fluctuates: not a leak";
    case Trend::kShrank:
      break;
  }
  return "shrank";
}

std::string SignedBytes(uint64_t before, uint64_t after) {
  return after >= before ? "+" + FormatBytes(after - before) : "-" + FormatBytes(before - after);
}

std::string SignedCount(uint64_t before, uint64_t after) {
  return after >= before ? "+" + FormatCount(after - before) : "-" + FormatCount(before - after);
}

template <typename Value, typename Format>
std::string Series(const std::vector<HeapNumbers>& series, const Value& value,
                   const Format& format) {
  std::string out;
  for (const HeapNumbers& numbers : series) {
    out += (out.empty() ? "" : " -> ") + format(value(numbers));
  }
  return out;
}

uint64_t Objects(const HeapNumbers& numbers) { return numbers.objects; }
uint64_t Retained(const HeapNumbers& numbers) { return numbers.retained; }

std::string HeapLine(const HeapSummary& heap, std::string_view label) {
  std::string out = heap.application.empty() ? "an unknown process" : Printable(heap.application);
  if (heap.pid != 0) out += " (pid " + std::to_string(heap.pid) + ")";
  if (heap.number != 0) out += ", snapshot " + std::to_string(heap.number);
  if (heap.unix_ns != 0) out += ", " + FormatUnixTime(heap.unix_ns);
  out += ": " + FormatBytes(heap.bytes) + " in " + Plural(heap.objects, "object");
  if (!heap.complete) out += ", incomplete";
  if (!label.empty()) out += "; " + Printable(label);
  return out;
}

std::string GrowthText(const DiffView& view, const PathGrowth& growth, size_t rank,
                       const TextStyle& style) {
  const HeapNumbers& first = growth.series.front();
  const HeapNumbers& last = growth.series.back();
  const std::string type = Printable(TypeDisplayName(view.model->dictionaries, growth.type));
  const std::string number = PadLeft(std::to_string(rank), 3) + "  ";
  std::string out = number +
                    Paint(style, Tone::kStrong,
                          ShortenMiddle(style,
                                        SignedBytes(first.retained, last.retained) + ", " +
                                            SignedCount(first.objects, last.objects) + " " + type,
                                        style.width - number.size())) +
                    "\n";
  std::string facts = TrendText(growth.trend, view.heaps.size());
  if (growth.is_new) facts = "new since the first; " + facts;
  out += "     " + Wrap(facts, style.width - 5, 5) + "\n";
  out += "     retained " +
         Wrap(Series(growth.series, Retained, FormatBytes), style.width - 14, 14) +
         "\n     objects  " +
         Wrap(Series(growth.series, Objects, FormatCount), style.width - 14, 14) + "\n";
  bool is_first = true;
  for (const std::string& part : OwnerParts(*view.model, *view.names, growth.path)) {
    const std::string arrow = is_first ? "" : "-> ";
    is_first = false;
    out += "       " + arrow + ShortenMiddle(style, Printable(part), style.width - 10) + "\n";
  }
  return out + "\n";
}

std::string TypesText(const DiffView& view, const TextStyle& style) {
  Table table({{"retained", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"objects", Table::Align::kRight},
               {"trend", Table::Align::kLeft},
               {"type", Table::Align::kLeft, true}});
  size_t shown = 0;
  for (const TypeChange& change : view.diff->types) {
    if (shown++ == view.top) break;
    const HeapNumbers& first = change.series.front();
    const HeapNumbers& last = change.series.back();
    std::string trend(NameOf(kTrends, change.trend));
    std::replace(trend.begin(), trend.end(), '_', ' ');
    table.AddRow({SignedBytes(first.retained, last.retained), SignedBytes(first.bytes, last.bytes),
                  SignedCount(first.objects, last.objects), trend, Printable(change.type)});
  }
  return table.Render(style, 2);
}

std::string More(size_t all, size_t shown) {
  return all <= shown ? "" : "  (" + FormatCount(all - shown) + " more; --top 0 shows all)\n";
}

}  // namespace

std::string DiffText(const DiffView& view, const TextStyle& style) {
  const HeapDiff& diff = *view.diff;
  const HeapSummary& first = view.heaps.front();
  const HeapSummary& last = view.heaps.back();
  std::string out = Paint(style, Tone::kStrong, "What changed between heaps") + "\n\n";
  for (size_t i = 0; i < view.heaps.size(); ++i) {
    out += "  " + Wrap(HeapLine(view.heaps[i], view.labels[i]), style.width - 4, 4) + "\n";
  }
  out += "\n";
  std::vector<std::string> notes;
  if (first.application != last.application) {
    notes.push_back(
        "The recordings are of different applications; only what has the same name is compared.");
  }
  if (first.pid == last.pid && first.unix_ns > last.unix_ns && last.unix_ns != 0) {
    notes.push_back("The first snapshot is newer than the last: growth means shrinking.");
  }
  for (const std::string& note : notes) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + note, style.width - 6, 6)) + "\n";
  }
  if (!notes.empty()) out += "\n";

  if (diff.paths.empty() && diff.types.empty()) {
    out += Paint(style, Tone::kStrong, "No difference.") + "\n\n";
  } else if (diff.paths.empty()) {
    out += "Nothing grew under a single owner.\n\n";
  } else {
    out += Paint(style, Tone::kStrong, "Growth, and what holds it:") + "\n\n";
    size_t rank = 0;
    for (const PathGrowth& growth : diff.paths) {
      if (rank == view.top) break;
      out += GrowthText(view, growth, ++rank, style);
    }
    out += More(diff.paths.size(), view.top);
  }
  if (!diff.types.empty()) {
    out += Paint(style, Tone::kStrong, "By type:") + "\n\n" + TypesText(view, style) +
           More(diff.types.size(), view.top) + "\n";
  }
  out += Wrap("Total " + SignedBytes(first.bytes, last.bytes) + " and " +
                  SignedCount(first.objects, last.objects) + " objects. Differences below " +
                  FormatBytes(diff.noise_bytes) + " are not shown.",
              style.width, 0) +
         "\n";
  if (view.heaps.size() < 3 && !diff.paths.empty()) {
    out += NextHint(
        "two snapshots show a difference, not a trend: with a third one, `diff` can "
        "distinguish steady growth from fluctuation.",
        style);
  }
  return out;
}

namespace {

struct LabelledHeap : HeapSummary {
  std::string label;
};

Object<LabelledHeap> ComparedHeapFields() {
  return {
      {"label", "As the user named it", &LabelledHeap::label},
      {"application", "Name of the application", &LabelledHeap::application},
      {"pid", "Process id", &LabelledHeap::pid},
      {"snapshot", "Its number", &LabelledHeap::number},
      {"unix_ns", "When, since 1970", &LabelledHeap::unix_ns},
      {"complete", "Whether it is complete", &LabelledHeap::complete},
      {"objects", "Reachable objects", &LabelledHeap::objects},
      {"bytes", "Bytes of them", &LabelledHeap::bytes},
  };
}

// One number for each heap.
auto SeriesOf(uint64_t HeapNumbers::*number) {
  return [number](auto& row) {
    std::vector<uint64_t> out;
    for (const HeapNumbers& numbers : row.series) out.push_back(numbers.*number);
    return out;
  };
}

Object<PathGrowth, DiffView> PathGrowthFields() {
  return {
      {"type", "What grew: a type, as C# writes it", TypeAt(&PathGrowth::type)},
      {"trend", "How it went", kTrends, &PathGrowth::trend},
      {"is_new", "Whether the first snapshot had none", &PathGrowth::is_new},
      {"objects", "Of each snapshot", SeriesOf(&HeapNumbers::objects)},
      {"retained_bytes", "Of each snapshot", SeriesOf(&HeapNumbers::retained)},
      {"path", "From the root to the objects", OwnerPartsAt(&PathGrowth::path)},
      {"owner", "The path with full names: from, field, to", OwnerStepsAt(&PathGrowth::path)},
  };
}

Object<TypeChange> TypeChangeFields() {
  return {
      {"type", "A type, as C# writes it", &TypeChange::type},
      {"trend", "How it went", kTrends, &TypeChange::trend},
      {"objects", "Of each snapshot", SeriesOf(&HeapNumbers::objects)},
      {"bytes", "Of each snapshot", SeriesOf(&HeapNumbers::bytes)},
      {"retained_bytes", "Of each snapshot", SeriesOf(&HeapNumbers::retained)},
  };
}

std::vector<LabelledHeap> LabelledHeaps(const DiffView& view) {
  std::vector<LabelledHeap> heaps;
  for (size_t i = 0; i < view.heaps.size(); ++i) heaps.push_back({view.heaps[i], view.labels[i]});
  return heaps;
}

Object<DiffView, DiffView> DiffFields() {
  return {
      HeadFields("diff"),
      {"heaps", "Which snapshots, in order", ComparedHeapFields(), &LabelledHeaps},
      {"noise_bytes", "Smaller differences are omitted",
       [](auto& view) { return view.diff->noise_bytes; }},
      {"growth", "Growth, leaks first", PathGrowthFields(),
       [](auto& view) -> const std::vector<PathGrowth>& { return view.diff->paths; }},
      {"types", "Differences by type", TypeChangeFields(),
       [](auto& view) -> const std::vector<TypeChange>& { return view.diff->types; }},
  };
}

}  // namespace

std::string DiffJson(const DiffView& view) { return JsonOf(DiffFields(), view); }

SharedShape DiffShape() { return DiffFields().shape(); }

}  // namespace hindsight::analyzer
