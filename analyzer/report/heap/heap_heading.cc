#include "analyzer/report/heap/heap_heading.h"

#include "analyzer/base/text.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

void AddReason(std::string_view reason, std::string& sentence) {
  if (reason.empty()) return;
  sentence += " Recorder: " + Printable(reason);
  if (!reason.ends_with('.')) sentence += '.';
}

}  // namespace

std::string HeapTitle(const HeapModel& model) {
  std::string out = model.application.empty() ? "an unknown process" : Printable(model.application);
  std::string details;
  if (model.pid != 0) details = "pid " + std::to_string(model.pid);
  if (!model.runtime_version.empty()) {
    details += (details.empty() ? ".NET " : ", .NET ") + Printable(model.runtime_version);
  }
  if (!details.empty()) out += " (" + details + ")";
  const HeapFacts& facts = model.graph.facts;
  if (facts.number != 0) out += ", snapshot " + std::to_string(facts.number);
  if (facts.unix_ns != 0) out += ", " + FormatUnixTime(facts.unix_ns);
  return out;
}

std::vector<std::string> HeapNotes(const HeapModel& model) {
  const HeapFacts& facts = model.graph.facts;
  std::vector<std::string> out;
  if (!facts.complete()) {
    std::string sentence = "The snapshot ";
    if (facts.result != HeapFacts::Result::kComplete) {
      sentence += ResultClause(facts.result);
    } else {
      sentence += "is damaged";
    }
    const uint64_t here = model.graph.size();
    sentence += ". It has " + Plural(here, "object");
    if (facts.certified_objects > here) {
      sentence += " of " + FormatCount(facts.certified_objects) + " that were written";
    }
    sentence +=
        "; objects referenced only by missing ones look like garbage, so all sizes are lower "
        "bounds.";
    if (facts.result != HeapFacts::Result::kComplete) AddReason(facts.result_reason, sentence);
    out.push_back(std::move(sentence));
  }
  if (facts.lost_segments > 0) {
    out.push_back(Plural(facts.lost_segments, "segment") +
                  " of the file damaged or missing; see `hindsight verify`.");
  }
  if (facts.dangling_references > 0) {
    out.push_back(Plural(facts.dangling_references, "reference") + " to missing objects omitted." +
                  (facts.complete()
                       ? " Garbage may contain such references after a background collection."
                       : ""));
  }
  if (facts.dangling_slots > 0) {
    out.push_back(Plural(facts.dangling_slots, "reference") +
                  " of the application pointed outside the heap; shown as null.");
  }
  if (facts.method == HeapFacts::Method::kCallbacks) {
    out.push_back(
        "It was taken through the runtime's callbacks, which have no field names: classes with "
        "several fields show none.");
  }
  return out;
}

std::string HeapHead(std::string_view what, const HeapModel& model, const TextStyle& style) {
  std::string out = Paint(style, Tone::kStrong,
                          Wrap(std::string(what) + " of " + HeapTitle(model), style.width, 0)) +
                    "\n\n";
  const std::vector<std::string> notes = HeapNotes(model);
  for (const std::string& note : notes) {
    out += Paint(style, Tone::kWarning, Wrap("Note: " + note, style.width - 6, 6)) + "\n";
  }
  if (!notes.empty()) out += "\n";
  return out;
}

std::string NextHint(std::string_view text, const TextStyle& style) {
  return Paint(style, Tone::kFaint, Wrap("Next: " + std::string(text), style.width - 6, 6)) + "\n";
}

std::string PathText(std::span<const std::string> parts) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += " -> ";
    out += Printable(part);
  }
  return out;
}

std::string PathLine(std::span<const std::string> parts, size_t columns, const TextStyle& style) {
  constexpr std::string_view kArrow = " -> ";
  std::string whole = PathText(parts);
  if (!style.shortens || TextColumns(whole) <= columns || parts.size() < 3) {
    return ShortenMiddle(style, whole, columns);
  }
  // The root and the end stay; then as many as fit, alternately from both sides.
  const std::string gap = std::string(kArrow) + (style.unicode ? "…" : "...");
  std::string head = Printable(parts.front());
  std::string tail = std::string(kArrow) + Printable(parts.back());
  size_t left = 1;
  size_t right = parts.size() - 1;
  for (bool from_right = true; left < right; from_right = !from_right) {
    const std::string part = std::string(kArrow) + Printable(parts[from_right ? right - 1 : left]);
    if (TextColumns(head) + TextColumns(tail) + TextColumns(gap) + TextColumns(part) > columns) {
      break;
    }
    if (from_right) {
      tail = part + tail;
      --right;
    } else {
      head += part;
      ++left;
    }
  }
  return ShortenMiddle(style, head + gap + tail, columns);
}

std::string Paragraph(std::string_view text, const TextStyle& style) {
  return "    " + Wrap(text, style.width - 4, 4) + "\n";
}

std::string TypeCell(const HeapModel& model, TypeId type, const TextStyle& style) {
  const std::string full = Printable(TypeDisplayName(model.dictionaries, type));
  if (TextColumns(full) <= style.width * 2 / 5) return full;
  return Printable(TypeBriefName(model.dictionaries, type));
}

std::string PercentOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? "" : FormatPercent(static_cast<double>(part) / static_cast<double>(whole));
}

Json JsonTexts(std::span<const std::string> texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(JsonText(text));
  return out;
}

}  // namespace hindsight::analyzer
