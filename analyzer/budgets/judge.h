// Whether budgets are kept. The rules, all in one place:
//
// - A budget is about one number. If its pattern matches several, the worst one counts: the largest
//   for < and <=, the smallest for > and >=, for = and != one that breaks it.
// - A subject without * and ? is a full name, or the last parts of one after a dot. If it does not
//   occur in what was recorded, its value is zero, and the verdict says so.
// - What was not recorded breaks a budget: a check that cannot see does not pass. An optional
//   budget is skipped then.
// - A sampled number counts as estimated; its error is reported.
// - A limit relative to the baseline uses the measure with the same name there. If the baseline did
//   not record it, the budget is broken or, if optional, skipped. Amounts that grow with time are
//   compared as they are: for recordings of different lengths, use rates and shares.
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
  std::optional<Measure> measured;  // nullopt: it was not recorded
  double limit = 0;                 // in the measure's unit; only with `measured`
  std::optional<double> baseline;   // of the same name, if the limit needs it
  size_t matches = 0;               // subjects that match the pattern
  std::string reason;               // a sentence, or empty
};

// One verdict per budget, in their order; the arguments must outlive the verdicts. `baseline` may
// be null: then limits that need it are broken, with a reason that says so.
std::vector<BudgetVerdict> JudgeBudgets(std::span<const Budget> budgets, const Measured& measured,
                                        const Measured* baseline);

}  // namespace hindsight::analyzer
