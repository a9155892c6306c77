// Whether budgets are met. The rules, all in one place:
//
//   - A budget is about one number. Of those that its pattern names it is the worst one: the
//   largest
//     for < and <=, the smallest for > and >=, for = and != one that breaks it.
//   - A subject without * and ? is a full name, or the last parts of one after a dot. One that does
//     not occur, in what was recorded, has the value zero, and the verdict says so.
//   - What was not recorded breaks a budget: a gate that cannot look does not pass. An optional one
//     is skipped then.
//   - A sampled number counts as it is estimated; its error is reported.
//   - A limit by the baseline is that of the same name there. What the baseline did not record
//     breaks the budget, or skips an optional one. Amounts that grow with the time are compared as
//     they are: rates and shares are for recordings of different lengths.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/analyses/overview/measures.h"
#include "analyzer/budgets/budget_file.h"
#include "analyzer/budgets/measured.h"

namespace hindsight::analyzer {

struct BudgetVerdict {
  enum class State : uint8_t { kKept, kBroken, kSkipped };
  State state = State::kKept;
  const Budget* budget = nullptr;
  std::optional<Measure> measured;  // nothing: it was not recorded
  double limit = 0;                 // in the measure's unit; only with `measured`
  std::optional<double> baseline;   // of the same name, where the limit needs it
  size_t matches = 0;               // subjects that the pattern names
  std::string reason;               // a sentence, or empty
};

// One verdict a budget, in their order; these outlive the verdicts. `baseline` may be null: then
// limits by it are broken, with a reason that says so.
std::vector<BudgetVerdict> JudgeBudgets(std::span<const Budget> budgets, const Measured& measured,
                                        const Measured* baseline);

}  // namespace hindsight::analyzer
