// Numbers with units as people write them in budgets: 50 MB, 20 ms, 5/s, 12.5 %.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

// How a number was written: what it is shown like again.
struct NumberStyle {
  std::string unit;  // "MB", "ms", "%", "MB/s"; empty: none
  double scale = 1;  // of the unit, in that of the measure
};

struct Quantity {
  double value = 0;          // bytes, nanoseconds, a share of 1, or as it is
  std::optional<Unit> unit;  // nothing: it was written without one
  NumberStyle style;
};

// What may stand between words.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Bytes: B, KB, MB, GB, TB by 1000, KiB, MiB, GiB, TiB by 1024. Times: ns, us, ms, s, m, h. And: %,
// cores, /s behind a number or bytes. Case matters for none of them. Numbers have digits, a point,
// an exponent, and commas or underscores between digits. Nothing else is a quantity.
std::optional<Quantity> ParseQuantity(std::string_view text);

// Whether a limit of this quantity can be compared with a measure of `unit`. Without a unit it can
// where the measure needs none, and zero always.
bool Fits(const Quantity& quantity, Unit unit);

// "a size: B, KB, MB, ... as in 50 MB": how a limit of such a measure is written.
std::string_view HowToWrite(Unit unit);

// `value` of a measure of `unit` as people read it; like `style` if it has a unit and the number
// stays readable. `exact`: with all its digits.
std::string FormatMeasure(double value, Unit unit, const NumberStyle& style = {},
                          bool exact = false);

// "5.01 ±1.2 %" of what is known but for an error; "+-" where `unicode` is false.
std::string JoinError(const std::string& value, const std::string& error, bool unicode);

}  // namespace hindsight::analyzer
