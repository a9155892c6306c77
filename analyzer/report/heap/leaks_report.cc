#include "analyzer/report/heap/leaks_report.h"

#include <vector>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/heap/heap_heading.h"

namespace hindsight::analyzer {
namespace {

// One part per line, preceded by an arrow.
std::string PathLines(const std::vector<std::string>& parts, size_t indent, const TextStyle& style,
                      std::string_view lead = "-> ") {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string arrow(i == 0 ? "" : lead);
    out += std::string(indent, ' ') + arrow +
           ShortenMiddle(style, Printable(parts[i]), style.width - indent - arrow.size()) + "\n";
  }
  return out;
}

std::string Lines(std::string_view text, size_t indent, const TextStyle& style) {
  return std::string(indent, ' ') + Wrap(text, style.width - indent, indent) + "\n";
}

std::string SourceText(const LeakSource& source, const TextStyle& style) {
  const std::string what = source.is_held ? "They and what they retain: allocated" : "Allocated";
  return Lines(what + " at (" + FormatCount(source.samples) + " of " + Plural(source.of, "sample") +
                   "):",
               5, style) +
         PathLines(source.path, 7, style, "<- ");
}

std::string SuspectText(const HeapModel& model, const SlotNames& names, const LeakSuspect& suspect,
                        size_t rank, const TextStyle& style) {
  const std::string type = Printable(TypeDisplayName(model.dictionaries, suspect.type));
  const std::string number = PadLeft(std::to_string(rank), 3) + "  ";
  std::string kind = suspect.kind_name;
  kind[0] = static_cast<char>(kind[0] >= 'a' && kind[0] <= 'z' ? kind[0] - 'a' + 'A' : kind[0]);
  const std::string numbers = FormatBytes(suspect.retained) + ", " + FormatPercent(suspect.share) +
                              " of the heap; confidence " +
                              std::string(NameOf(kLeakConfidences, suspect.confidence));
  std::string out =
      number +
      Paint(style, Tone::kStrong,
            ShortenMiddle(style, kind + ": " + FormatCount(suspect.count) + " " + type,
                          style.width - number.size())) +
      "\n     " + numbers + "\n";
  out += PathLines(OwnerParts(model, names, suspect.path), 7, style);
  for (const std::string& sentence : suspect.evidence) out += Lines(Printable(sentence), 5, style);
  if (suspect.source) out += SourceText(*suspect.source, style);
  out += Lines(suspect.advice, 5, style);
  return out +
         Paint(style, Tone::kFaint,
               "     One of them: `hindsight object " +
                   AddressText(model.graph.Address(suspect.example)) + "`") +
         "\n\n";
}

std::string ClearedText(const HeapModel& model, const SlotNames& names, const LeakReport& report,
                        const TextStyle& style) {
  if (report.cleared.empty()) return {};
  std::string out = "Large, but not suspicious:\n";
  for (const ClearedAccumulation& cleared : report.cleared) {
    const std::string type = Printable(TypeBriefName(model.dictionaries, cleared.type));
    out += Lines(FormatBytes(cleared.retained) + ", " + FormatCount(cleared.count) + " " + type +
                     ": " + Printable(cleared.reason),
                 2, style);
    std::string path;
    for (const std::string& part : OwnerParts(model, names, cleared.path)) {
      path += (path.empty() ? "" : " -> ") + Printable(part);
    }
    out +=
        "      " + Paint(style, Tone::kFaint, ShortenMiddle(style, path, style.width - 6)) + "\n";
  }
  return out + "\n";
}

std::string Looked(const LeakReport& report) {
  return "Examined " + Plural(report.accumulations, "place") + " where objects accumulate, in " +
         FormatBytes(report.reachable_bytes) + " of live objects. A suspect has at least " +
         FormatCount(report.rules.min_count) + " objects; a collection or cache, at least " +
         FormatBytes(report.rules.min_bytes) + " and " + FormatPercent(report.rules.min_share) +
         " of the heap.";
}

}  // namespace

std::string LeaksText(const HeapModel& model, const SlotNames& names, const LeakReport& report,
                      const TextStyle& style) {
  std::string out = HeapHead("Leaks in the heap", model, style);
  if (report.suspects.empty()) {
    out += Paint(style, Tone::kStrong, "No leak suspects.") + "\n\n";
  } else {
    out += Paint(style, Tone::kStrong, Plural(report.suspects.size(), "suspect") + ":") + "\n\n";
  }
  size_t rank = 0;
  for (const LeakSuspect& suspect : report.suspects) {
    out += SuspectText(model, names, suspect, ++rank, style);
  }
  out += ClearedText(model, names, report, style);
  out += Wrap(Looked(report), style.width, 0) + "\n";
  if (report.snapshots > 1) {
    return out + NextHint("`hindsight diff RECORDING` shows what grew over the " +
                              Plural(report.snapshots, "snapshot") + ", and what holds it.",
                          style);
  }
  return out + NextHint(report.suspects.empty()
                            ? "one snapshot cannot show growth; take another one later and compare "
                              "them with `hindsight diff RECORDING`."
                            : "one snapshot shows what accumulates, not that it grows; take "
                              "another one later and compare them with `hindsight diff RECORDING`.",
                        style);
}

namespace {

Object<LeakSource> LeakSourceFields() {
  return {
      {"path", "Methods, innermost first", &LeakSource::path},
      {"samples", "Samples that came this way", &LeakSource::samples},
      {"of", "Samples in all", &LeakSource::of},
      {"with_held", "Whether objects that they hold are included", &LeakSource::is_held},
  };
}

Object<LeakSuspect, HeapContext> LeakSuspectFields() {
  return {
      {"kind", "event handlers, timers, cache, static list, ...", &LeakSuspect::kind_name},
      {"confidence", "How sure it is", kLeakConfidences, &LeakSuspect::confidence},
      {"type", "What accumulates: a type, as C# writes it", TypeAt(&LeakSuspect::type)},
      {"count", "How many", &LeakSuspect::count},
      {"retained_bytes", "Retained size", &LeakSuspect::retained},
      {"share", "Share of the reachable bytes, 0 to 1", &LeakSuspect::share},
      {"owners", "Accumulations held this way", &LeakSuspect::owners},
      {"path", "From the root to the object", OwnerPartsAt(&LeakSuspect::path)},
      {"owner", "The path with full names: from, field, to", OwnerStepsAt(&LeakSuspect::path)},
      {"example", "Address of one such object", AddressAt(&LeakSuspect::example)},
      {"allocated_at", "Where most were allocated; null: unknown", LeakSourceFields(),
       &LeakSuspect::source},
      {"evidence", "Evidence, as sentences", &LeakSuspect::evidence},
      {"advice", "What to do", &LeakSuspect::advice},
  };
}

Object<ClearedAccumulation, HeapContext> ClearedFields() {
  return {
      {"type", "What accumulates: a type, as C# writes it", TypeAt(&ClearedAccumulation::type)},
      {"count", "How many", &ClearedAccumulation::count},
      {"retained_bytes", "Retained size", &ClearedAccumulation::retained},
      {"share", "Share of the reachable bytes, 0 to 1", &ClearedAccumulation::share},
      {"path", "From the root to the object", OwnerPartsAt(&ClearedAccumulation::path)},
      {"reason", "Why it is not a suspect: a clause", &ClearedAccumulation::reason},
  };
}

Object<LeakRules> LeakRuleFields() {
  return {
      {"min_count", "Objects, at least", &LeakRules::min_count},
      {"min_shape_bytes", "Bytes retained by event handlers, timers and the like, at least",
       &LeakRules::min_shape_bytes},
      {"min_bytes", "Bytes retained by a collection, at least", &LeakRules::min_bytes},
      {"min_share", "Its share of the heap, at least", &LeakRules::min_share},
      {"large_share", "The share from which on it is a suspect with medium confidence",
       &LeakRules::large_share},
  };
}

Object<LeakReport, HeapContext> LeaksFields() {
  return {
      HeadFields("leaks"),
      {"heap", "", HeapFields(), kItsHeap},
      {"reachable_objects", "Reachable objects", &LeakReport::reachable_objects},
      {"reachable_bytes", "Reachable bytes", &LeakReport::reachable_bytes},
      {"accumulations", "Accumulations that were examined", &LeakReport::accumulations},
      {"rules", "Thresholds for suspects", LeakRuleFields(), &LeakReport::rules},
      {"suspects", "Most retained bytes first", LeakSuspectFields(), &LeakReport::suspects},
      {"cleared", "Large, but not suspicious", ClearedFields(), &LeakReport::cleared},
  };
}

}  // namespace

std::string LeaksJson(const HeapModel& model, const SlotNames& names, const LeakReport& report) {
  return JsonOf(LeaksFields(), report, {&model, &names});
}

SharedShape LeaksShape() { return LeaksFields().shape(); }

}  // namespace hindsight::analyzer
