#include "analyzer/report/heap/diff_report.h"

#include <algorithm>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

std::string_view TrendName(Trend trend) {
  switch (trend) {
    case Trend::kGrew:
      return "grew";
    case Trend::kGrows:
      return "grows";
    case Trend::kLevelledOff:
      return "levelled_off";
    case Trend::kComesAndGoes:
      return "comes_and_goes";
    case Trend::kShrank:
      break;
  }
  return "shrank";
}

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
uint64_t Bytes(const HeapNumbers& numbers) { return numbers.bytes; }
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

std::string WayText(const DiffView& view, const WayGrowth& way, size_t rank,
                    const TextStyle& style) {
  const HeapNumbers& first = way.series.front();
  const HeapNumbers& last = way.series.back();
  const std::string type = Printable(TypeDisplayName(view.model->dictionaries, way.type));
  const std::string number = PadLeft(std::to_string(rank), 3) + "  ";
  std::string out = number +
                    Paint(style, Tone::kStrong,
                          ShortenMiddle(style,
                                        SignedBytes(first.retained, last.retained) + ", " +
                                            SignedCount(first.objects, last.objects) + " " + type,
                                        style.width - number.size())) +
                    "\n";
  std::string facts = TrendText(way.trend, view.heaps.size());
  if (way.is_new) facts = "new since the first; " + facts;
  out += "     " + Wrap(facts, style.width - 5, 5) + "\n";
  out += "     retained " + Wrap(Series(way.series, Retained, FormatBytes), style.width - 14, 14) +
         "\n     objects  " + Wrap(Series(way.series, Objects, FormatCount), style.width - 14, 14) +
         "\n";
  bool is_first = true;
  for (const std::string& part : OwnerParts(*view.model, *view.names, way.path)) {
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
    std::string trend(TrendName(change.trend));
    std::replace(trend.begin(), trend.end(), '_', ' ');
    table.AddRow({SignedBytes(first.retained, last.retained), SignedBytes(first.bytes, last.bytes),
                  SignedCount(first.objects, last.objects), trend, Printable(change.type)});
  }
  return table.Render(style, 2);
}

std::string More(size_t all, size_t shown) {
  return all <= shown ? "" : "  (" + FormatCount(all - shown) + " more; --top 0 shows all)\n";
}

Json Numbers(const std::vector<HeapNumbers>& series, uint64_t (*value)(const HeapNumbers&)) {
  Json out = Json::array();
  for (const HeapNumbers& numbers : series) out.push_back(value(numbers));
  return out;
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
  if (first.unix_ns > last.unix_ns && last.unix_ns != 0) {
    notes.push_back("The first snapshot is newer than the last: growth means shrinking.");
  }
  for (const std::string& note : notes) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + note, style.width, 6)) + "\n";
  }
  if (!notes.empty()) out += "\n";

  if (diff.ways.empty() && diff.types.empty()) {
    out += Paint(style, Tone::kStrong, "No difference.") + "\n\n";
  } else if (diff.ways.empty()) {
    out += "Nothing grew under a single owner.\n\n";
  } else {
    out += Paint(style, Tone::kStrong, "Growth, and what holds it:") + "\n\n";
    size_t rank = 0;
    for (const WayGrowth& way : diff.ways) {
      if (rank == view.top) break;
      out += WayText(view, way, ++rank, style);
    }
    out += More(diff.ways.size(), view.top);
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
  if (view.heaps.size() < 3 && !diff.ways.empty()) {
    out += NextHint(
        "two snapshots show a difference, not a trend: with a third one, `diff` tells continuing "
        "growth from fluctuation.",
        style);
  }
  return out;
}

std::string DiffJson(const DiffView& view) {
  Json heaps = Json::array();
  for (size_t i = 0; i < view.heaps.size(); ++i) {
    const HeapSummary& heap = view.heaps[i];
    heaps.push_back({{"label", JsonText(view.labels[i])},
                     {"application", JsonText(heap.application)},
                     {"pid", heap.pid},
                     {"snapshot", heap.number},
                     {"unix_ns", heap.unix_ns},
                     {"complete", heap.complete},
                     {"objects", heap.objects},
                     {"bytes", heap.bytes}});
  }
  Json growth = Json::array();
  for (const WayGrowth& way : view.diff->ways) {
    Json owner = Json::array();
    for (const OwnerStep& step : way.path.steps) {
      const OwnerPhrases words = WordsOf(*view.model, *view.names, step);
      owner.push_back(
          Json::array({JsonText(words.from), JsonText(words.field), JsonText(words.to)}));
    }
    growth.push_back({{"type", JsonText(TypeDisplayName(view.model->dictionaries, way.type))},
                      {"trend", TrendName(way.trend)},
                      {"is_new", way.is_new},
                      {"objects", Numbers(way.series, Objects)},
                      {"retained_bytes", Numbers(way.series, Retained)},
                      {"path", JsonTexts(OwnerParts(*view.model, *view.names, way.path))},
                      {"owner", std::move(owner)}});
  }
  Json types = Json::array();
  for (const TypeChange& change : view.diff->types) {
    types.push_back({{"type", JsonText(change.type)},
                     {"trend", TrendName(change.trend)},
                     {"objects", Numbers(change.series, Objects)},
                     {"bytes", Numbers(change.series, Bytes)},
                     {"retained_bytes", Numbers(change.series, Retained)}});
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "diff"},
                   {"heaps", std::move(heaps)},
                   {"noise_bytes", view.diff->noise_bytes},
                   {"growth", std::move(growth)},
                   {"types", std::move(types)}});
}

}  // namespace hindsight::analyzer
