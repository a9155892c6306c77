// A budget's rule: what is measured, and the limit that it keeps.
//
//   deadlocks = 0
//   p99 GC pause < 20 ms
//   retained of type Shop.Order < 50 MB
//   cpu of method Shop.Cart.* <= 110 % of baseline
//   heap.bytes <= baseline + 5 MB
//
// MEASURE [of KIND SUBJECT] COMPARISON LIMIT. A measure is a name of MeasureKinds or one of the
// phrases beside them (measure_words.h). A subject is a full name, or the last parts of one, or has
// * and ?; in quotation marks where it contains a comparison. The comparison stands between blanks
// where there is a subject. A limit is a quantity, or one of: `baseline`, `N % of baseline`,
// `baseline + QUANTITY`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "analyzer/analyses/overview/measures.h"
#include "analyzer/budgets/quantity.h"

namespace hindsight::analyzer {

// How a value has to stand to its limit.
enum class Bound : uint8_t { kLess, kAtMost, kEqual, kNotEqual, kAtLeast, kMore };
std::string_view BoundText(Bound bound);  // "<", "<=", "=", ...

// value = factor of the baseline + amount
struct Limit {
  double amount = 0;
  double factor = 0;  // 0: the baseline is not asked for
  NumberStyle style;  // of the amount
  std::string text;   // as it was written

  bool needs_baseline() const { return factor != 0; }
};

struct BudgetRule {
  const MeasureKind* kind = nullptr;
  std::string subject;  // empty: the whole process
  Bound bound = Bound::kLess;
  Limit limit;
};

struct RuleError {
  size_t at = 0;         // byte of the rule that it is about
  std::string sentence;  // what is wrong there, and what to write
};

// Total: any text gives a rule or an error of printable characters.
std::variant<BudgetRule, RuleError> ParseRule(std::string_view text);

inline constexpr size_t kMaxRuleBytes = 4096;

}  // namespace hindsight::analyzer
