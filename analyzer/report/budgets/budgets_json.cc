#include <optional>

#include "analyzer/report/budgets/budgets_report.h"
#include "analyzer/report/common_fields.h"

namespace hindsight::analyzer {
namespace {

using State = BudgetVerdict::State;

template <typename Text>
std::optional<Text> NonEmpty(const Text& text) {
  return IfKnown(!text.empty(), text);
}

OneOf<State> VerdictStates() {
  return {&StateName, {State::kKept, State::kBroken, State::kSkipped}};
}

Object<Budget> BudgetNameFields() {
  return {
      {"name", "As written in the file", &Budget::name},
      {"rule", "As written in the file", &Budget::text},
      {"line", "In the file", &Budget::line},
  };
}

Object<BudgetVerdict> BudgetFields() {
  return {
      {BudgetNameFields(), [](auto& verdict) -> const Budget& { return *verdict.budget; }},
      {"state", "Outcome", VerdictStates(), &BudgetVerdict::state},
      {"optional", "Whether missing data is acceptable",
       [](auto& verdict) { return verdict.budget->optional; }},
      {"measure", "Name of the number",
       [](auto& verdict) { return verdict.budget->rule.kind->name; }},
      {"subject_kind", "type, method, ...; null: the whole process",
       [](auto& verdict) { return NonEmpty(verdict.budget->rule.kind->subject); }},
      {"subject", "What was measured; null: the whole process",
       [](auto& verdict) {
         return NonEmpty(verdict.measured ? verdict.measured->subject
                                          : verdict.budget->rule.subject);
       }},
      {"matches", "Subjects that match the rule", &BudgetVerdict::matches},
      {"unit", "Of measured, error, limit and baseline",
       [](auto& verdict) { return UnitName(verdict.budget->rule.kind->unit); }},
      {"measured", "null: unknown",
       [](auto& verdict) {
         return verdict.measured ? std::optional(verdict.measured->value) : std::nullopt;
       }},
      {"error", "Sampling error (95 %)",
       [](auto& verdict) {
         return verdict.measured ? std::optional(verdict.measured->error) : std::nullopt;
       }},
      {"bound", "Comparison of measured with limit",
       [](auto& verdict) { return BoundText(verdict.budget->rule.bound); }},
      {"limit", "null: unknown",
       [](auto& verdict) { return IfKnown(verdict.measured.has_value(), verdict.limit); }},
      {"baseline", "The same number there; null: none", &BudgetVerdict::baseline},
      {"reason", "Why it is broken or skipped",
       [](auto& verdict) { return NonEmpty(verdict.reason); }},
  };
}

// The number of budgets with this state.
auto CountOf(State state) {
  return [state](auto& view) { return Count(view.verdicts, state); };
}

Object<BudgetsView, BudgetsView> BudgetsFields() {
  return {
      HeadFields("check"),
      {"recording", "null: heap snapshot files only", RecordingFields(), &BudgetsView::model},
      {"budgets_file", "As given", &BudgetsView::file},
      {"baseline_recording", "As given; null: none",
       [](auto& view) { return NonEmpty(view.baseline); }},
      {"passed", "Whether all budgets are met",
       [](auto& view) { return Count(view.verdicts, State::kBroken) == 0; }},
      {"kept", "Budgets that are met", CountOf(State::kKept)},
      {"broken", "Budgets that are not", CountOf(State::kBroken)},
      {"skipped", "Optional budgets whose measure was not recorded", CountOf(State::kSkipped)},
      {"budgets", "In the order of their file", BudgetFields(), &BudgetsView::verdicts},
      {"notes", "Sentences", &BudgetsView::damages},
  };
}

}  // namespace

std::string BudgetsJson(const BudgetsView& view) { return JsonOf(BudgetsFields(), view); }

SharedShape BudgetsShape() { return BudgetsFields().shape(); }

}  // namespace hindsight::analyzer
