// Numbers with units as people write them in budgets: 50 MB, 20 ms, 5/s, 12.5 %.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

// How a number was written, so that results can be shown alike.
struct NumberStyle {
  std::string unit;  // "MB", "ms", "%", "MB/s"; empty: none
  double scale = 1;  // of the unit, relative to the measure's
};

struct Quantity {
  double value = 0;          // bytes, nanoseconds, a share of 1, or unchanged
  std::optional<Unit> unit;  // nullopt: it was written without one
  NumberStyle style;
};

// What may separate words.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Bytes: B, KB, MB, GB, TB in powers of 1000, KiB, MiB, GiB, TiB in powers of 1024. Times: ns, us,
// ms, s, m, h. Also %, cores, and /s after a number or bytes. Case is ignored. Numbers have digits,
// a decimal point, an exponent, and commas or underscores between digits. Nothing else is a
// quantity.
std::optional<Quantity> ParseQuantity(std::string_view text);

// Whether a limit with this quantity can be compared with a measure of `unit`. Without a unit, it
// must be zero, or the measure must need none.
bool Fits(const Quantity& quantity, Unit unit);

// "a size: B, KB, MB, ... as in 50 MB": how to write a limit for such a measure.
std::string_view HowToWrite(Unit unit);

// Formats `value` of a measure of `unit`; like `style` if it has a unit and the number stays
// readable. `exact`: with all its digits.
std::string FormatMeasure(double value, Unit unit, const NumberStyle& style = {},
                          bool exact = false);

// "5.01 ±1.2 %" for a value with an error; "+-" if `unicode` is false.
std::string JoinError(const std::string& value, const std::string& error, bool unicode);

}  // namespace hindsight::analyzer
