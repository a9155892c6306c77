#include "analyzer/report/heap/leaks_report.h"

#include <vector>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

// One part a line, led by arrows.
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
                              std::string(ConfidenceName(suspect.confidence));
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
  for (const ClearedAccumulation& pile : report.cleared) {
    const std::string type = Printable(TypeBriefName(model.dictionaries, pile.type));
    out += Lines(FormatBytes(pile.retained) + ", " + FormatCount(pile.count) + " " + type + ": " +
                     Printable(pile.reason),
                 2, style);
    std::string path;
    for (const std::string& part : OwnerParts(model, names, pile.path)) {
      path += (path.empty() ? "" : " -> ") + Printable(part);
    }
    out +=
        "      " + Paint(style, Tone::kFaint, ShortenMiddle(style, path, style.width - 6)) + "\n";
  }
  return out + "\n";
}

std::string Looked(const LeakReport& report) {
  return "Examined " + Plural(report.piles, "place") + " where objects accumulate, in " +
         FormatBytes(report.reachable_bytes) + " of live objects. A suspect has at least " +
         FormatCount(report.rules.min_count) + " objects; a collection or cache, at least " +
         FormatBytes(report.rules.min_bytes) + " and " + FormatPercent(report.rules.min_share) +
         " of the heap.";
}

Json JsonParts(const std::vector<std::string>& parts) {
  Json out = Json::array();
  for (const std::string& part : parts) out.push_back(JsonText(part));
  return out;
}

Json JsonSource(const std::optional<LeakSource>& source) {
  if (!source) return nullptr;
  return {{"path", JsonParts(source->path)},
          {"samples", source->samples},
          {"of", source->of},
          {"with_held", source->is_held}};
}

Json JsonOwner(const HeapModel& model, const SlotNames& names, const OwnerPath& path) {
  Json out = Json::array();
  for (const OwnerStep& step : path.steps) {
    const OwnerPhrases words = WordsOf(model, names, step);
    out.push_back(Json::array({JsonText(words.from), JsonText(words.field), JsonText(words.to)}));
  }
  return out;
}

}  // namespace

std::string_view ConfidenceName(LeakConfidence confidence) {
  switch (confidence) {
    case LeakConfidence::kHigh:
      return "high";
    case LeakConfidence::kMedium:
      return "medium";
    case LeakConfidence::kLow:
      break;
  }
  return "low";
}

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
  return out + NextHint(report.suspects.empty()
                            ? "one snapshot cannot show growth; take another one later and compare "
                              "them with `hindsight diff RECORDING`."
                            : "one snapshot shows what accumulates, not that it grows; take "
                              "another one later and compare them with `hindsight diff RECORDING`.",
                        style);
}

std::string LeaksJson(const HeapModel& model, const SlotNames& names, const LeakReport& report) {
  Json suspects = Json::array();
  for (const LeakSuspect& suspect : report.suspects) {
    suspects.push_back({{"kind", suspect.kind_name},
                        {"confidence", ConfidenceName(suspect.confidence)},
                        {"type", JsonText(TypeDisplayName(model.dictionaries, suspect.type))},
                        {"count", suspect.count},
                        {"retained_bytes", suspect.retained},
                        {"share", suspect.share},
                        {"owners", suspect.owners},
                        {"path", JsonParts(OwnerParts(model, names, suspect.path))},
                        {"owner", JsonOwner(model, names, suspect.path)},
                        {"example", AddressText(model.graph.Address(suspect.example))},
                        {"allocated_at", JsonSource(suspect.source)},
                        {"evidence", JsonTexts(suspect.evidence)},
                        {"advice", suspect.advice}});
  }
  Json cleared = Json::array();
  for (const ClearedAccumulation& pile : report.cleared) {
    cleared.push_back({{"type", JsonText(TypeDisplayName(model.dictionaries, pile.type))},
                       {"count", pile.count},
                       {"retained_bytes", pile.retained},
                       {"share", pile.share},
                       {"path", JsonParts(OwnerParts(model, names, pile.path))},
                       {"reason", JsonText(pile.reason)}});
  }
  const LeakRules& rules = report.rules;
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "leaks"},
                   {"heap", JsonHeap(model)},
                   {"reachable_objects", report.reachable_objects},
                   {"reachable_bytes", report.reachable_bytes},
                   {"piles", report.piles},
                   {"rules",
                    {{"min_count", rules.min_count},
                     {"min_shape_bytes", rules.min_shape_bytes},
                     {"min_bytes", rules.min_bytes},
                     {"min_share", rules.min_share},
                     {"large_share", rules.large_share}}},
                   {"suspects", std::move(suspects)},
                   {"cleared", std::move(cleared)}});
}

}  // namespace hindsight::analyzer
