#include "bench/verdicts/judge.h"

#include <algorithm>
#include <cctype>

namespace hindsight::bench {
namespace {

constexpr size_t kCountedLines = 3;
constexpr std::string_view kAnything = "*";

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool HasOneOf(std::string_view text, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return HasName(text, name); });
}

std::string TextOf(const Said& said) { return said.title + " | " + said.text; }
std::string LineOf(const Said& said) {
  return said.severity + " " + said.signal + ": " + TextOf(said);
}

bool IsTruth(const Truth& truth, const Said& said) {
  if (!truth.signals.contains(said.signal)) return false;
  if (truth.names.empty() && truth.evidence.empty()) return false;
  return (truth.names.empty() || HasOneOf(said.title, truth.names)) &&
         (truth.evidence.empty() || HasOneOf(TextOf(said), truth.evidence));
}

// Whether it is a consequence of the problem, and says so by name.
bool MayBeSaid(const Truth& truth, const Said& said) {
  const auto also = truth.also.find(said.signal);
  if (also == truth.also.end()) return false;
  return HasOneOf(TextOf(said), also->second) ||
         std::find(also->second.begin(), also->second.end(), kAnything) != also->second.end();
}

// If other processes occupy the processors, the analyzer says so, and does not blame the program
// for what its threads wait for.
bool LacksProcessors(std::span<const Said> all) {
  return std::ranges::any_of(
      all, [](const Said& said) { return said.title.starts_with("Threads wait for a processor"); });
}

bool IsNote(const Said& said) { return said.severity == "note"; }
bool IsBad(const Said& said) {
  return said.severity == "worse" || said.severity == "new" || said.severity == "grew";
}

void Report(std::span<const Said> all, Verdict& verdict) {
  for (const Said& said : all.first(std::min(all.size(), kCountedLines))) {
    verdict.reported.push_back(LineOf(said));
  }
}

Verdict::Kind KindOf(const Truth& truth, const std::string& way, size_t place, bool is_vague) {
  using Kind = Verdict::Kind;
  if (place == 1) return Kind::kFirst;
  if (place == 2) return Kind::kSecond;
  if (place != 0) return Kind::kLower;
  if (is_vague) return Kind::kVague;
  return truth.reports.contains(way) ? Kind::kMissed : Kind::kCannot;
}

}  // namespace

bool HasName(std::string_view text, std::string_view name) {
  if (name.empty()) return false;
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !IsOfName(name.front()) || !IsOfName(text[at - 1]);
    const bool ends = end == text.size() || !IsOfName(name.back()) || !IsOfName(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

std::string NameOf(const Verdict& verdict) {
  using Kind = Verdict::Kind;
  switch (verdict.kind) {
    case Kind::kFirst:
      return "first";
    case Kind::kSecond:
      return "second";
    case Kind::kLower:
      return "place " + std::to_string(verdict.place);
    case Kind::kNote:
      return "ONLY A NOTE";
    case Kind::kVague:
      return "not named";
    case Kind::kMissed:
      return "MISSED";
    case Kind::kCannot:
      return "cannot";
    case Kind::kFailed:
      break;
  }
  return "FAILED";
}

Verdict JudgeFindings(const Truth& truth, const std::string& way, std::span<const Said> all) {
  Verdict verdict;
  bool is_vague = false, is_only_note = false;
  const bool is_note_enough = truth.notes.contains(way) || !truth.reports.contains(way);
  const bool lacks_processors = LacksProcessors(all);
  for (size_t i = 0; i < all.size(); ++i) {
    const Said& said = all[i];
    const bool is_truth = IsTruth(truth, said);
    const bool may_be = MayBeSaid(truth, said);
    const bool is_about_waits = said.signal == "locks" || said.signal == "pool";
    if (is_truth && IsNote(said) && !is_note_enough && !(lacks_processors && is_about_waits)) {
      is_only_note = true;
    } else if (is_truth && verdict.place == 0) {
      verdict.place = i + 1;
    } else if (!IsNote(said) && (is_truth ? truth.once && !may_be : !may_be)) {
      verdict.wrong.push_back(LineOf(said));
    }
    is_vague |= truth.signals.contains(said.signal) && may_be && !IsNote(said);
  }
  Report(all, verdict);
  verdict.kind = verdict.place == 0 && is_only_note ? Verdict::Kind::kNote
                                                    : KindOf(truth, way, verdict.place, is_vague);
  return verdict;
}

Verdict JudgeDifferences(const Truth& truth, const std::string& way, bool is_after,
                         std::span<const Said> all) {
  Verdict verdict;
  bool is_vague = false;
  for (size_t i = 0; i < all.size(); ++i) {
    const Said& said = all[i];
    const bool is_right_way = IsBad(said) == is_after;
    if (IsTruth(truth, said)) {
      if (!is_right_way) {
        verdict.wrong.push_back(LineOf(said));
      } else if (verdict.place == 0) {
        verdict.place = i + 1;
      }
      continue;
    }
    const bool may_be = MayBeSaid(truth, said);
    if (IsBad(said) && is_after && !may_be) verdict.wrong.push_back(LineOf(said));
    is_vague |= is_right_way && truth.signals.contains(said.signal) && may_be;
  }
  Report(all, verdict);
  verdict.kind = KindOf(truth, way, verdict.place, is_vague);
  return verdict;
}

Verdict JudgeEqual(std::span<const Said> all) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kCannot;
  for (const Said& said : all) verdict.wrong.push_back(LineOf(said));
  return verdict;
}

std::vector<std::string> WrongForAll(std::span<const Truth> truths, std::span<const Said> all) {
  std::vector<std::string> wrong;
  for (const Said& said : all) {
    const bool is_explained = IsNote(said) || std::ranges::any_of(truths, [&](const Truth& truth) {
                                return IsTruth(truth, said) || MayBeSaid(truth, said);
                              });
    if (!is_explained) wrong.push_back(LineOf(said));
  }
  return wrong;
}

}  // namespace hindsight::bench
