#include "analyzer/report/heap/histogram_report.h"

#include <algorithm>
#include <tuple>

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

uint64_t KeyOf(const TypeRow& row, HistogramOrder order) {
  switch (order) {
    case HistogramOrder::kRetained:
      return row.retained;
    case HistogramOrder::kObjects:
      return row.objects;
    case HistogramOrder::kGarbage:
      return row.unreachable_bytes;
    case HistogramOrder::kBytes:
      break;
  }
  return row.bytes;
}

std::vector<TypeRow> Sorted(const HistogramView& view) {
  std::vector<TypeRow> rows = view.histogram->rows;
  std::stable_sort(rows.begin(), rows.end(), [&](const TypeRow& a, const TypeRow& b) {
    return std::tuple(KeyOf(a, view.order), a.bytes, a.objects, b.type) >
           std::tuple(KeyOf(b, view.order), b.bytes, b.objects, a.type);
  });
  return rows;
}

std::string_view TriggerPhrase(HeapFacts::Trigger trigger) {
  switch (trigger) {
    case HeapFacts::Trigger::kRequested:
      return " on request";
    case HeapFacts::Trigger::kPeriodic:
      return " on schedule";
    case HeapFacts::Trigger::kGrowth:
      return " because the heap had grown";
    case HeapFacts::Trigger::kUnknown:
      break;
  }
  return "";
}

std::string_view MethodPhrase(HeapFacts::Method method) {
  switch (method) {
    case HeapFacts::Method::kFork:
      return " at the end of a collection, from a copy of the process (fork)";
    case HeapFacts::Method::kForkPassive:
      return " at the end of a collection caused by the application, from a copy of the process "
             "(fork)";
    case HeapFacts::Method::kInPause:
      return " while the application was paused";
    case HeapFacts::Method::kCallbacks:
      return " by a full collection and the runtime's callbacks";
    case HeapFacts::Method::kUnknown:
      break;
  }
  return "";
}

std::string PauseSentence(const HeapFacts& facts) {
  if (facts.pause_ns == 0) return {};
  std::string parts;
  const auto add = [&parts](uint64_t ns, std::string_view what) {
    if (ns == 0) return;
    if (!parts.empty()) parts += ", ";
    parts += FormatDuration(ns) + " " + std::string(what);
  };
  add(facts.suspend_ns, "suspension");
  add(facts.collect_ns, "collection");
  add(facts.roots_ns, "roots");
  const bool forked =
      facts.method == HeapFacts::Method::kFork || facts.method == HeapFacts::Method::kForkPassive;
  add(facts.fork_ns, forked ? "fork" : "walk");
  std::string out = "The application was paused for " + FormatDuration(facts.pause_ns);
  out += parts.empty() ? "." : ": " + parts + ".";
  if (facts.pauses > 1) {
    out += " With the " + Plural(facts.pauses - 1, "pause") +
           " to prepare it (collections, a look " + "at the threads), these were " +
           FormatDuration(facts.all_pauses_ns) + ".";
  }
  return out;
}

std::string CompleteSentence(const HeapModel& model) {
  const HeapFacts& facts = model.graph.facts;
  if (!facts.complete()) return {};
  std::string out = "Complete: " + Plural(model.graph.size(), "object") + " written and read";
  const uint64_t walked = facts.certified_bytes + facts.free_bytes;
  if (facts.gc_bytes == 0) return out + ".";
  out += "; objects and free space add up to " + FormatBytes(walked) + ", by the GC's " +
         "own count " + FormatBytes(facts.gc_bytes);
  return out + ".";
}

// The recorder asks the runtime for no name that an unload could take away meanwhile.
std::string NamelessSentence(const HistogramView& view) {
  uint64_t objects = 0;
  for (const TypeRow& row : view.histogram->rows) {
    if (TypeDisplayName(view.model->dictionaries, row.type) == "?") objects += row.objects;
  }
  if (objects == 0) return {};
  return Plural(objects, "object") + (objects == 1 ? " is" : " are") +
         " of types that may be unloaded, and without a name (?). Such objects keep their assembly "
         "and its LoaderAllocator alive, which does not show here.";
}

std::string Header(const HistogramView& view, const TextStyle& style) {
  const HeapModel& model = *view.model;
  const HeapFacts& facts = model.graph.facts;
  const Dominators& dominators = *view.dominators;
  std::string out =
      Paragraph(Plural(dominators.reachable_objects, "object") + ", " +
                    FormatBytes(dominators.reachable_bytes) + " alive; " +
                    Plural(dominators.unreachable_objects, "object") + ", " +
                    FormatBytes(dominators.unreachable_bytes) + " garbage not collected yet.",
                style);
  const std::string_view trigger = TriggerPhrase(facts.trigger);
  const std::string_view method = MethodPhrase(facts.method);
  std::string taken = "Taken" + std::string(trigger);
  if (!trigger.empty() && !method.empty()) taken += ':';
  taken += std::string(method) + ".";
  if (!facts.fallback_reason.empty()) {
    taken += " Fallback because: " + Printable(facts.fallback_reason);
    if (!facts.fallback_reason.ends_with('.')) taken += '.';
  }
  if (taken != "Taken.") out += Paragraph(taken, style);
  for (const std::string& sentence :
       {PauseSentence(facts), CompleteSentence(model), NamelessSentence(view)}) {
    if (!sentence.empty()) out += Paragraph(sentence, style);
  }
  if (view.snapshots.size() > 1) {
    std::string others = "The recording has " + Plural(view.snapshots.size(), "snapshot") + ":";
    for (const HeapFacts& other : view.snapshots) {
      others += (&other == view.snapshots.data() ? " " : ", ") + std::to_string(other.number);
    }
    out += Paragraph(others + "; --snapshot N chooses.", style);
  }
  return out + "\n";
}

}  // namespace

std::string HistogramText(const HistogramView& view, const TextStyle& style) {
  const HeapModel& model = *view.model;
  std::string out = HeapHead("Heap", model, style) + Header(view, style);
  const std::vector<TypeRow> rows = Sorted(view);
  Table table({{"type", Table::Align::kLeft, true},
               {"objects", Table::Align::kRight},
               {"bytes", Table::Align::kRight},
               {"share", Table::Align::kRight},
               {"retained", Table::Align::kRight},
               {"garbage", Table::Align::kRight}});
  TypeRow rest;
  for (size_t i = 0; i < rows.size(); ++i) {
    const TypeRow& row = rows[i];
    if (i >= view.top) {
      rest.objects += row.objects;
      rest.bytes += row.bytes;
      rest.unreachable_bytes += row.unreachable_bytes;
      continue;
    }
    table.AddRow({TypeCell(model, row.type, style), FormatCount(row.objects),
                  FormatBytes(row.bytes), PercentOf(row.bytes, view.dominators->reachable_bytes),
                  FormatBytes(row.retained), BytesOrBlank(row.unreachable_bytes)});
  }
  if (rows.size() > view.top) {
    table.AddRow({"(" + Plural(rows.size() - view.top, "more type") + "; --top shows more)",
                  FormatCount(rest.objects), FormatBytes(rest.bytes),
                  PercentOf(rest.bytes, view.dominators->reachable_bytes), "",
                  BytesOrBlank(rest.unreachable_bytes)});
  }
  out += table.Render(style, 2) + "\n";
  return out + NextHint(
                   "`hindsight retained` and `dominators` show what holds memory; `paths TYPE`, "
                   "why objects of a type are alive; `leaks`, what looks wrong.",
                   style);
}

namespace {

Object<TypeRow, HistogramView> TypeRowFields() {
  return {
      {"type", "A type, as C# writes it", TypeAt(&TypeRow::type)},
      {"objects", "Reachable objects", &TypeRow::objects},
      {"bytes", "Bytes of them", &TypeRow::bytes},
      {"retained_bytes", "Bytes freed if they went away", &TypeRow::retained},
      {"unreachable_objects", "Unreachable objects", &TypeRow::unreachable_objects},
      {"unreachable_bytes", "Bytes of them", &TypeRow::unreachable_bytes},
  };
}

Object<HeapFacts> ListedSnapshotFields() {
  return {
      {"snapshot", "Its number", &HeapFacts::number},
      {"unix_ns", "When, since 1970", &HeapFacts::unix_ns},
  };
}

Object<HistogramView, HistogramView> HistogramFields() {
  return {
      HeadFields("heap"),
      {"heap", "", HeapFields(), kItsHeap},
      {"snapshots", "All snapshots of the recording", ListedSnapshotFields(),
       &HistogramView::snapshots},
      {"reachable", "Reachable objects", ObjectsAndBytesFields(),
       [](auto& view) {
         return ObjectsAndBytes{view.dominators->reachable_objects,
                                view.dominators->reachable_bytes};
       }},
      {"unreachable", "Unreachable objects", ObjectsAndBytesFields(),
       [](auto& view) {
         return ObjectsAndBytes{view.dominators->unreachable_objects,
                                view.dominators->unreachable_bytes};
       }},
      {"types", "By type", TypeRowFields(), &Sorted},
  };
}

}  // namespace

std::string HistogramJson(const HistogramView& view) { return JsonOf(HistogramFields(), view); }

SharedShape HistogramShape() { return HistogramFields().shape(); }

}  // namespace hindsight::analyzer
