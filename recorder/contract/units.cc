#include "recorder/contract/units.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hindsight::contract {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array<Unit, 14> kSizeUnits = {{{"", 1},
                                              {"b", 1},
                                              {"k", 1ull << 10},
                                              {"kib", 1ull << 10},
                                              {"kb", 1'000},
                                              {"m", 1ull << 20},
                                              {"mib", 1ull << 20},
                                              {"mb", 1'000'000},
                                              {"g", 1ull << 30},
                                              {"gib", 1ull << 30},
                                              {"gb", 1'000'000'000},
                                              {"t", 1ull << 40},
                                              {"tib", 1ull << 40},
                                              {"tb", 1'000'000'000'000}}};

// Largest first: a duration has each at most once, in this order.
constexpr std::array<Unit, 8> kDurationUnits = {{{"d", 86'400'000'000'000},
                                                 {"h", 3'600'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"min", 60'000'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"ms", 1'000'000},
                                                 {"us", 1'000},
                                                 {"ns", 1}}};

constexpr int kMaxFractionDigits = 9;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return ToLower(a) == b; });
}

// Removes the digits at the front of `text`. False: none, or more than 64 bits.
bool TakeNumber(std::string_view& text, uint64_t& value) {
  size_t digits = 0;
  value = 0;
  for (; digits < text.size() && IsDigit(text[digits]); ++digits) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(text[digits] - '0'), &value)) {
      return false;
    }
  }
  text.remove_prefix(digits);
  return digits > 0;
}

// A number such as 12 or 1.5: `whole`, and `fraction` parts of `scale`.
struct Number {
  uint64_t whole = 0;
  uint64_t fraction = 0;
  uint64_t scale = 1;  // at most 10^9
};

bool TakeDecimal(std::string_view& text, Number& number) {
  if (!TakeNumber(text, number.whole)) return false;
  if (text.empty() || text[0] != '.') return true;
  text.remove_prefix(1);
  const size_t before = text.size();
  if (!TakeNumber(text, number.fraction)) return false;
  const size_t digits = before - text.size();
  if (digits > kMaxFractionDigits) return false;
  for (size_t i = 0; i < digits; ++i) number.scale *= 10;
  return true;
}

// Adds `number` units of `factor` (at most 10^14) to `total`. False: above 64 bits.
bool Add(const Number& number, uint64_t factor, uint64_t& total) {
  // Split so that the product fits into 64 bits.
  const uint64_t part = factor / number.scale * number.fraction +
                        factor % number.scale * number.fraction / number.scale;
  uint64_t whole = 0;
  return !__builtin_mul_overflow(number.whole, factor, &whole) &&
         !__builtin_add_overflow(total, whole, &total) &&
         !__builtin_add_overflow(total, part, &total);
}

}  // namespace

bool ParseSize(std::string_view text, uint64_t& bytes) {
  Number number;
  if (!TakeDecimal(text, number)) return false;
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  for (const Unit& unit : kSizeUnits) {
    if (!EqualsIgnoringCase(text, unit.name)) continue;
    uint64_t total = 0;
    if (!Add(number, unit.factor, total)) return false;
    bytes = total;
    return true;
  }
  return false;
}

bool ParseDuration(std::string_view text, uint64_t& nanoseconds) {
  if (text.empty()) return false;
  uint64_t total = 0;
  uint64_t previous = ~0ull;  // the factor of the previous unit
  while (!text.empty()) {
    Number number;
    if (!TakeDecimal(text, number)) return false;
    const size_t letters = std::min(
        text.size(),
        static_cast<size_t>(std::find_if(text.begin(), text.end(), IsDigit) - text.begin()));
    const std::string_view name = text.substr(0, letters);
    text.remove_prefix(letters);
    uint64_t factor = 0;
    if (name.empty() && previous == ~0ull) factor = kSecond;
    for (const Unit& unit : kDurationUnits) {
      if (name == unit.name) factor = unit.factor;
    }
    if (factor == 0 || factor >= previous) return false;
    previous = factor;
    if (!Add(number, factor, total)) return false;
  }
  nanoseconds = total;
  return true;
}

}  // namespace hindsight::contract
