// The results of budgets: one line each as text, JSON, and JUnit XML for CI systems; and the list
// of everything that budgets can refer to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/measures.h"
#include "analyzer/budgets/judge.h"
#include "analyzer/fields/shape.h"
#include "analyzer/model/model.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct BudgetsView {
  std::string title;           // of the recording
  const Model* model;          // null: the files only contain heap snapshots
  std::string file, baseline;  // as given; the baseline may be empty
  std::span<const BudgetVerdict> verdicts;
  std::vector<std::string> damages;  // sentences on what could not be read
};

// Broken ones first, each with its reason.
std::string BudgetsText(const BudgetsView& view, const TextStyle& style);
std::string BudgetsJson(const BudgetsView& view);
SharedShape BudgetsShape();
// One test suite with one test case per budget: JUnit's format as CI systems read it. What XML 1.0
// cannot represent becomes U+FFFD.
std::string BudgetsJunit(const BudgetsView& view);

// "12.5 ±3.1 %", in the unit of the limit.
std::string MeasuredText(const BudgetVerdict& verdict, const TextStyle& style);
// "< 50 MB"; "<= 110 % of baseline: 22.1 %"
std::string LimitText(const BudgetVerdict& verdict);

// "kept", "broken", "skipped".
std::string_view StateName(BudgetVerdict::State state);
// The number of verdicts with this state.
size_t Count(std::span<const BudgetVerdict> verdicts, BudgetVerdict::State state);

// All measures with their meaning; with the values of a recording if `measured` is not null.
std::string MeasuresText(const Measured* measured, const TextStyle& style);
// "known", "value" and "error" only with a recording, `value` only for the whole process.
std::string MeasuresJson(const Measured* measured);
SharedShape MeasuresShape();

}  // namespace hindsight::analyzer
