// A budget's rule: what is measured, and its limit.
//
//   deadlocks = 0
//   p99 GC pause < 20 ms
//   retained of type Shop.Order < 50 MB
//   cpu of method Shop.Cart.* <= 110 % of baseline
//   heap.bytes <= baseline + 5 MB
//
// MEASURE [of KIND SUBJECT] COMPARISON LIMIT. A measure is a name in MeasureKinds or one of the
// phrases for them (measure_phrases.h). A subject is a full name, or the last parts of one, or
// contains * and ?; it is in quotation marks if it contains a comparison. If there is a subject,
// the comparison must be surrounded by blanks. A limit is a quantity, or one of: `baseline`, `N %
// of baseline`, `baseline + QUANTITY`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "analyzer/analyses/overview/measures.h"
#include "analyzer/budgets/quantity.h"

namespace hindsight::analyzer {

// The required relation of a value to its limit.
enum class Bound : uint8_t { kLess, kAtMost, kEqual, kNotEqual, kAtLeast, kMore };
std::string_view BoundText(Bound bound);  // "<", "<=", "=", ...

// value = factor of the baseline + amount
struct Limit {
  double amount = 0;
  double factor = 0;  // 0: the baseline is not needed
  NumberStyle style;  // of the amount
  std::string text;   // as written

  bool needs_baseline() const { return factor != 0; }
};

struct BudgetRule {
  const MeasureKind* kind = nullptr;
  std::string subject;  // empty: the whole process
  Bound bound = Bound::kLess;
  Limit limit;
};

struct RuleError {
  size_t at = 0;         // byte of the rule to which it refers
  std::string sentence;  // what is wrong there, and what to write
};

// Accepts any text: returns a rule, or an error of printable characters.
std::variant<BudgetRule, RuleError> ParseRule(std::string_view text);

inline constexpr size_t kMaxRuleBytes = 4096;

}  // namespace hindsight::analyzer
