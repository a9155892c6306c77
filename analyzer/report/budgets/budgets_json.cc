#include <algorithm>

#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

using State = BudgetVerdict::State;

Json JsonVerdict(const BudgetVerdict& verdict) {
  const Budget& budget = *verdict.budget;
  const Rule& rule = budget.rule;
  const std::optional<Measure>& measured = verdict.measured;
  const auto text = [](std::string_view value) { return value.empty() ? Json() : JsonText(value); };
  return {{"name", JsonText(budget.name)},
          {"rule", JsonText(budget.text)},
          {"line", budget.line},
          {"state", std::string(StateName(verdict.state))},
          {"optional", budget.optional},
          {"measure", rule.kind->name},
          {"subject_kind", text(rule.kind->subject)},
          {"subject", text(measured ? measured->subject : rule.subject)},
          {"matches", verdict.matches},
          {"unit", UnitName(rule.kind->unit)},
          {"measured", measured ? Json(measured->value) : Json()},
          {"error", measured ? Json(measured->error) : Json()},
          {"bound", BoundText(rule.bound)},
          {"limit", measured ? Json(verdict.limit) : Json()},
          {"baseline", verdict.baseline ? Json(*verdict.baseline) : Json()},
          {"reason", text(verdict.reason)}};
}

}  // namespace

std::string BudgetsJson(const BudgetsView& view) {
  Json budgets = Json::array();
  for (const BudgetVerdict& verdict : view.verdicts) budgets.push_back(JsonVerdict(verdict));
  Json notes = Json::array();
  for (const std::string& damage : view.damages) notes.push_back(JsonText(damage));
  const size_t broken = Count(view.verdicts, State::kBroken);
  return JsonDump({{"schema", kJsonSchema},
                   {"recording", view.model != nullptr ? JsonRecording(*view.model) : Json()},
                   {"budgets_file", JsonText(view.file)},
                   {"baseline_recording", view.baseline.empty() ? Json() : JsonText(view.baseline)},
                   {"passed", broken == 0},
                   {"kept", Count(view.verdicts, State::kKept)},
                   {"broken", broken},
                   {"skipped", Count(view.verdicts, State::kSkipped)},
                   {"budgets", std::move(budgets)},
                   {"notes", std::move(notes)}});
}

}  // namespace hindsight::analyzer
