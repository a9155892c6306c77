#include "analyzer/budgets/rule.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/budgets/measure_phrases.h"

namespace hindsight::analyzer {
namespace {

struct BoundWord {
  std::string_view word;
  Bound bound;
};

// Longer ones before those with which they begin.
constexpr BoundWord kBounds[] = {
    {"<=", Bound::kAtMost},       {">=", Bound::kAtLeast},    {"==", Bound::kEqual},
    {"!=", Bound::kNotEqual},     {"\u2264", Bound::kAtMost}, {"\u2265", Bound::kAtLeast},
    {"\u2260", Bound::kNotEqual}, {"<", Bound::kLess},        {">", Bound::kMore},
    {"=", Bound::kEqual},
};

// A part of the rule, without surrounding blanks.
struct Part {
  size_t at = 0;
  std::string_view text;
};

Part Trim(Part part) {
  while (!part.text.empty() && IsBlank(part.text.front())) {
    part.text.remove_prefix(1);
    ++part.at;
  }
  while (!part.text.empty() && IsBlank(part.text.back())) part.text.remove_suffix(1);
  return part;
}

Part Within(const Part& part, size_t from, size_t length = std::string_view::npos) {
  return Trim({part.at + from, part.text.substr(from, length)});
}

std::string Quoted(std::string_view text) {
  constexpr size_t kMost = 80;
  return "'" + Printable(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "") + "'";
}

struct Split {
  Part measure, limit;
  Bound bound = Bound::kLess;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : whole_{0, text} {}

  std::variant<BudgetRule, RuleError> Parse() {
    if (whole_.text.size() > kMaxRuleBytes) return Fail(0, "This rule is too long.");
    const std::optional<Split> split = FindBound();
    if (!split) {
      return Fail(
          0,
          "This rule has no comparison. Write MEASURE < LIMIT, as in 'deadlocks = 0', with <, <=, "
          "=, !=, >= or >, and spaces around the operator if the measure has a subject.");
    }
    rule_.bound = split->bound;
    SplitSubject(split->measure);
    if (subject_kind_.empty() != rule_.subject.empty()) {
      return Fail(split->measure.at,
                  "'of " + std::string(subject_kind_) + "' expects a name, or a pattern with *.");
    }
    const std::vector<const MeasureKind*> kinds = KindsCalled(measure_.text, subject_kind_);
    if (kinds.empty()) return UnknownMeasure();
    return ParseLimit(split->limit, kinds);
  }

 private:
  static RuleError Fail(size_t at, std::string sentence) { return {at, std::move(sentence)}; }

  std::optional<Split> FindBound() const;
  std::optional<Split> BoundAt(size_t at) const;
  void SplitSubject(const Part& part);
  RuleError UnknownMeasure() const;
  std::variant<BudgetRule, RuleError> ParseLimit(const Part& part,
                                                 std::span<const MeasureKind* const> kinds);
  std::optional<Quantity> ParseBaseline(const Part& part);

  Part whole_;
  Part measure_;
  std::string_view subject_kind_;
  BudgetRule rule_;
};

std::optional<Split> Parser::BoundAt(size_t at) const {
  for (const BoundWord& candidate : kBounds) {
    if (!whole_.text.substr(at).starts_with(candidate.word)) continue;
    return Split{Within(whole_, 0, at), Within(whole_, at + candidate.word.size()),
                 candidate.bound};
  }
  return {};
}

// Names of types contain < and >, but not alone between blanks. A rule without a subject needs no
// blanks.
std::optional<Split> Parser::FindBound() const {
  const std::string_view text = whole_.text;
  bool is_quoted = false;
  std::optional<Split> first;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') is_quoted = !is_quoted;
    if (is_quoted) continue;
    const std::optional<Split> split = BoundAt(i);
    if (!split) continue;
    const size_t end = text.find_first_of(" \t", i);
    const std::string_view word = text.substr(i, end - i);
    const bool is_alone = i > 0 && IsBlank(text[i - 1]) &&
                          std::any_of(std::begin(kBounds), std::end(kBounds),
                                      [&word](const auto& known) { return known.word == word; });
    if (is_alone) return split;
    if (!first) first = split;
  }
  if (first && first->measure.text.find(" of ") != std::string_view::npos) return {};
  return first;
}

// "retained of type Shop.Order": split at the first ` of KIND `.
void Parser::SplitSubject(const Part& part) {
  measure_ = part;
  size_t earliest = std::string_view::npos;
  for (const std::string_view kind : SubjectKinds()) {
    std::string words = " of ";
    words.append(kind);
    const size_t at = part.text.find(words);
    if (at >= earliest) continue;
    const size_t end = at + words.size();
    if (end < part.text.size() && !IsBlank(part.text[end])) continue;
    earliest = at;
    subject_kind_ = kind;
    measure_ = Within(part, 0, at);
    std::string_view subject = Within(part, end).text;
    const bool is_quoted = subject.size() >= 2 && subject.front() == subject.back() &&
                           (subject.front() == '"' || subject.front() == '\'');
    if (is_quoted) subject = subject.substr(1, subject.size() - 2);
    rule_.subject = subject;
  }
}

RuleError Parser::UnknownMeasure() const {
  std::string call(measure_.text);
  if (!subject_kind_.empty()) call.append(" of ").append(subject_kind_);
  std::string sentence = "There is no measure " + Quoted(call);
  const std::string nearest = NearestCall(measure_.text, subject_kind_);
  sentence += nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  sentence += nearest.empty() ? "; `hindsight check --list` shows all."
                              : " `hindsight check --list` shows all.";
  return {measure_.at, std::move(sentence)};
}

// `baseline`, `110 % of baseline`, `baseline + 5 MB`: returns the amount that is added to the
// baseline, and stores the factor in the rule. nullopt: it is something else.
std::optional<Quantity> Parser::ParseBaseline(const Part& part) {
  constexpr std::string_view kBaseline = "baseline";
  constexpr std::string_view kOfBaseline = "of baseline";
  Limit& limit = rule_.limit;
  if (part.text.ends_with(kOfBaseline)) {
    const std::optional<Quantity> share =
        ParseQuantity(part.text.substr(0, part.text.size() - kOfBaseline.size()));
    if (!share || share->unit != Unit::kShare || !(share->value > 0)) return {};
    limit.factor = share->value;
    return Quantity{};
  }
  if (!part.text.starts_with(kBaseline)) return {};
  const Part rest = Within(part, kBaseline.size());
  limit.factor = 1;
  if (rest.text.empty()) return Quantity{};
  if (rest.text.front() != '+') return {};
  std::optional<Quantity> more = ParseQuantity(rest.text.substr(1));
  if (more && more->unit == Unit::kShare) {
    limit.factor += more->value;
    return Quantity{};
  }
  return more;
}

std::variant<BudgetRule, RuleError> Parser::ParseLimit(const Part& part,
                                                       std::span<const MeasureKind* const> kinds) {
  Limit& limit = rule_.limit;
  limit.text = part.text;
  std::optional<Quantity> amount;
  if (part.text.find("baseline") != std::string_view::npos) {
    amount = ParseBaseline(part);
    if (!amount) {
      return Fail(part.at,
                  "A limit relative to the baseline is 'baseline', '110 % of baseline' or "
                  "'baseline + QUANTITY', not " +
                      Quoted(part.text) + ".");
    }
  } else {
    amount = ParseQuantity(part.text);
  }
  if (!amount) {
    return Fail(part.at, Quoted(part.text) + " is not a limit; write " +
                             std::string(HowToWrite(kinds.front()->unit)) + ".");
  }
  for (const MeasureKind* const kind : kinds) {
    if (!Fits(*amount, kind->unit)) continue;
    rule_.kind = kind;
    limit.amount = amount->value;
    limit.style = amount->style;
    return std::move(rule_);
  }
  return Fail(part.at, Quoted(part.text) + " does not fit " + Quoted(measure_.text) + ": write " +
                           std::string(HowToWrite(kinds.front()->unit)) + ".");
}

}  // namespace

std::string_view BoundText(Bound bound) {
  switch (bound) {
    case Bound::kLess:
      return "<";
    case Bound::kAtMost:
      return "<=";
    case Bound::kEqual:
      return "=";
    case Bound::kNotEqual:
      return "!=";
    case Bound::kAtLeast:
      return ">=";
    case Bound::kMore:
      break;
  }
  return ">";
}

std::variant<BudgetRule, RuleError> ParseRule(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace hindsight::analyzer
