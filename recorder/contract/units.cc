// Sizes and durations as people write them.
#include <algorithm>
#include <array>

#include "recorder/contract/options.h"

namespace hindsight::contract {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array<Unit, 10> kSizeUnits = {{{"", 1},
                                              {"b", 1},
                                              {"k", 1ull << 10},
                                              {"kib", 1ull << 10},
                                              {"m", 1ull << 20},
                                              {"mib", 1ull << 20},
                                              {"g", 1ull << 30},
                                              {"gib", 1ull << 30},
                                              {"t", 1ull << 40},
                                              {"tib", 1ull << 40}}};

// Largest first: a duration names each at most once, in this order.
constexpr std::array<Unit, 4> kDurationUnits = {
    {{"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}}};

constexpr int kMaxFractionDigits = 9;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return ToLower(a) == b; });
}

// Takes the digits at the front of `text`. False: none, or more than 64 bits.
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

}  // namespace

bool ParseSize(std::string_view text, uint64_t& bytes) {
  uint64_t whole = 0;
  if (!TakeNumber(text, whole)) return false;
  uint64_t fraction = 0;
  uint64_t scale = 1;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const size_t before = text.size();
    if (!TakeNumber(text, fraction)) return false;
    const size_t digits = before - text.size();
    if (digits > kMaxFractionDigits) return false;
    for (size_t i = 0; i < digits; ++i) scale *= 10;
  }
  while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
  for (const Unit& unit : kSizeUnits) {
    if (!EqualsIgnoringCase(text, unit.name)) continue;
    // fraction < scale <= 10^9 and factor <= 2^40: split, so that the product stays in 64 bits.
    const uint64_t part = unit.factor / scale * fraction + unit.factor % scale * fraction / scale;
    uint64_t result = 0;
    if (__builtin_mul_overflow(whole, unit.factor, &result) ||
        __builtin_add_overflow(result, part, &result)) {
      return false;
    }
    bytes = result;
    return true;
  }
  return false;
}

bool ParseDuration(std::string_view text, uint64_t& nanoseconds) {
  if (text.empty()) return false;
  uint64_t total = 0;
  size_t next_unit = 0;
  while (!text.empty()) {
    uint64_t value = 0;
    if (!TakeNumber(text, value)) return false;
    const size_t letters = std::min(
        text.size(),
        static_cast<size_t>(std::find_if(text.begin(), text.end(), IsDigit) - text.begin()));
    const std::string_view name = text.substr(0, letters);
    text.remove_prefix(letters);
    const auto* unit =
        std::find_if(kDurationUnits.begin() + next_unit, kDurationUnits.end(),
                     [name](const Unit& candidate) { return candidate.name == name; });
    if (unit == kDurationUnits.end()) return false;
    next_unit = static_cast<size_t>(unit - kDurationUnits.begin()) + 1;
    uint64_t part = 0;
    if (__builtin_mul_overflow(value, unit->factor, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return false;
    }
  }
  nanoseconds = total;
  return true;
}

}  // namespace hindsight::contract
