#include <algorithm>
#include <array>

#include "analyzer/base/text.h"
#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

using State = BudgetVerdict::State;

// The subject of the number, if the budget's name does not contain it.
std::string SubjectText(const BudgetVerdict& verdict) {
  const std::string& subject = verdict.measured ? verdict.measured->subject : std::string();
  if (subject.empty() || subject == verdict.budget->rule.subject) return "";
  std::string out = "The value is that of " + Printable(subject);
  if (verdict.matches > 1) {
    out += ", the worst of " + FormatCount(verdict.matches) + " that match the name";
  }
  return out + ".";
}

// Broken, skipped, kept; each in the order of the file.
std::vector<const BudgetVerdict*> InOrder(std::span<const BudgetVerdict> verdicts) {
  std::vector<const BudgetVerdict*> rows;
  for (const State state : {State::kBroken, State::kSkipped, State::kKept}) {
    for (const BudgetVerdict& verdict : verdicts) {
      if (verdict.state == state) rows.push_back(&verdict);
    }
  }
  return rows;
}

std::string StateText(State state) {
  return state == State::kBroken ? "EXCEEDED" : state == State::kSkipped ? "skipped" : "ok";
}

std::string Verdicts(const BudgetsView& view, const TextStyle& style) {
  using Align = Table::Align;
  Table table({{"", Align::kLeft},
               {"budget", Align::kLeft, true},
               {"measured", Align::kRight},
               {"limit", Align::kLeft}});
  const std::vector<const BudgetVerdict*> rows = InOrder(view.verdicts);
  for (const BudgetVerdict* const verdict : rows) {
    table.AddRow({StateText(verdict->state), Printable(verdict->budget->name),
                  MeasuredText(*verdict, style), LimitText(*verdict)});
  }
  // A row's reason is placed below it.
  std::string out;
  std::string lines = table.Render(style, 2);
  size_t begin = lines.find('\n') + 1;
  out += lines.substr(0, begin);
  for (const BudgetVerdict* const verdict : rows) {
    const size_t end = lines.find('\n', begin);
    const std::string line = lines.substr(begin, end - begin);
    out += (verdict->state == State::kBroken ? Paint(style, Tone::kBad, line) : line) + "\n";
    begin = end + 1;
    for (const std::string& sentence : {verdict->reason, SubjectText(*verdict)}) {
      if (sentence.empty()) continue;
      out += "          " + Paint(style, Tone::kFaint, Wrap(sentence, style.width - 10, 10)) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string_view StateName(State state) {
  switch (state) {
    case State::kBroken:
      return "broken";
    case State::kSkipped:
      return "skipped";
    case State::kKept:
      break;
  }
  return "kept";
}

size_t Count(std::span<const BudgetVerdict> verdicts, State state) {
  return static_cast<size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [state](const BudgetVerdict& verdict) { return verdict.state == state; }));
}

std::string MeasuredText(const BudgetVerdict& verdict, const TextStyle& style) {
  if (!verdict.measured) return "-";
  const Measure& measure = *verdict.measured;
  const Unit unit = measure.kind->unit;
  NumberStyle number = verdict.budget->rule.limit.style;
  std::string text = FormatMeasure(measure.value, unit, number);
  // A value beyond its limit must not look equal to it.
  if (measure.value != verdict.limit && text == FormatMeasure(verdict.limit, unit, number)) {
    text = FormatMeasure(measure.value, unit, number, true);
  }
  if (measure.error > 0) {
    text = JoinError(text, FormatMeasure(measure.error, unit, number), style.unicode);
  }
  return text;
}

std::string LimitText(const BudgetVerdict& verdict) {
  const BudgetRule& rule = verdict.budget->rule;
  std::string text = std::string(BoundText(rule.bound)) + " " + Printable(rule.limit.text);
  if (verdict.measured && verdict.baseline) {
    text += ": " + FormatMeasure(verdict.limit, rule.kind->unit, rule.limit.style);
  }
  return text;
}

std::string BudgetsText(const BudgetsView& view, const TextStyle& style) {
  const size_t broken = Count(view.verdicts, State::kBroken);
  const size_t skipped = Count(view.verdicts, State::kSkipped);
  std::string out = Paint(style, Tone::kStrong, "Budgets of " + view.title) + "\n\n";
  std::string sentence = broken == 0 ? "All " + Plural(view.verdicts.size(), "budget") + " met"
                                     : FormatCount(broken) + " of " +
                                           Plural(view.verdicts.size(), "budget") + " exceeded";
  if (view.verdicts.size() == 1) {
    sentence = broken == 0 ? "The budget is met" : "The budget is exceeded";
  }
  if (skipped > 0) sentence += ", " + FormatCount(skipped) + " skipped";
  out += "    " + Paint(style, broken == 0 ? Tone::kStrong : Tone::kBad, sentence + ".") + "\n\n";
  out += Verdicts(view, style);
  if (!view.damages.empty()) out += "\n";
  for (const std::string& damage : view.damages) {
    out += "    " + Paint(style, Tone::kWarning, Wrap(damage, style.width - 4, 4)) + "\n";
  }
  if (broken > 0) {
    out += "\n    " +
           Paint(style, Tone::kFaint,
                 Wrap("`hindsight summary` shows what is behind the numbers; `hindsight check "
                      "--list`, what can be measured.",
                      style.width - 4, 4)) +
           "\n";
  }
  return out;
}

}  // namespace hindsight::analyzer
