// A file of budgets, in TOML.
//
//   [budgets]
//   "no deadlocks" = "deadlocks = 0"
//   memory = "retained of type Shop.Order < 50 MB"
//   pauses = { rule = "p99 GC pause < 20 ms", optional = true }
//
// or, without names: budgets = ["deadlocks = 0", "exceptions/s < 5"].
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/result.h"
#include "analyzer/budgets/rule.h"

namespace hindsight::analyzer {

struct Budget {
  std::string name;  // the rule itself if it has no name
  std::string text;  // of the rule
  BudgetRule rule;
  bool optional = false;  // skipped if its measure was not recorded
  size_t line = 0;
};

inline constexpr size_t kMaxBudgetFileBytes = 1 << 20;

// In the order of the file. An error has one line per mistake: `file`, line, column, what to write.
Result<std::vector<Budget>> ParseBudgets(std::string_view toml, std::string_view file);

// Reads the file first.
Result<std::vector<Budget>> LoadBudgets(const std::string& file);

}  // namespace hindsight::analyzer
