#include "analyzer/budgets/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

struct UnitWord {
  std::string_view word;  // in lower case
  Unit unit;
  double scale;
};

constexpr double kKi = 1024;
constexpr UnitWord kWords[] = {
    {"b", Unit::kBytes, 1},
    {"kb", Unit::kBytes, 1e3},
    {"mb", Unit::kBytes, 1e6},
    {"gb", Unit::kBytes, 1e9},
    {"tb", Unit::kBytes, 1e12},
    {"kib", Unit::kBytes, kKi},
    {"mib", Unit::kBytes, kKi* kKi},
    {"gib", Unit::kBytes, kKi* kKi* kKi},
    {"tib", Unit::kBytes, kKi* kKi* kKi* kKi},
    {"ns", Unit::kNanoseconds, 1},
    {"us", Unit::kNanoseconds, 1e3},
    {"ms", Unit::kNanoseconds, 1e6},
    {"s", Unit::kNanoseconds, 1e9},
    {"m", Unit::kNanoseconds, 60e9},
    {"min", Unit::kNanoseconds, 60e9},
    {"h", Unit::kNanoseconds, 3600e9},
    {"%", Unit::kShare, 0.01},
    {"core", Unit::kCores, 1},
    {"cores", Unit::kCores, 1},
    {"/s", Unit::kPerSecond, 1},
};

constexpr size_t kLongest = 64;  // of texts worth examining

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes the number at the beginning of `text` and returns it.
std::optional<double> TakeNumber(std::string_view& text) {
  std::string digits;
  size_t length = 0;
  for (; length < text.size(); ++length) {
    const char c = text[length];
    const bool is_group = (c == ',' || c == '_') && length > 0 && IsDigit(text[length - 1]) &&
                          length + 1 < text.size() && IsDigit(text[length + 1]);
    const bool is_exponent = (c == 'e' || c == 'E') && length > 0 && length + 1 < text.size() &&
                             (IsDigit(text[length + 1]) || text[length + 1] == '-');
    const bool is_sign = c == '-' && (length == 0 || text[length - 1] == 'e');
    if (is_group) continue;
    if (!IsDigit(c) && c != '.' && !is_exponent && !is_sign) break;
    digits += is_exponent ? 'e' : c;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  if (!std::isfinite(value)) return {};
  text.remove_prefix(length);
  return value;
}

std::string Print(const char* format, double value) {
  std::array<char, 64> text;
  const int size = std::snprintf(text.data(), text.size(), format, value);
  return std::string(text.data(), std::clamp<size_t>(static_cast<size_t>(size), 0, 63));
}

// 1,234 if it is whole; otherwise with three significant digits.
std::string FormatNumber(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value) && value >= 0) {
    return FormatCount(static_cast<uint64_t>(value));
  }
  return Print(std::abs(value) >= 1000 ? "%.0f" : "%.3g", value);
}

uint64_t Whole(double value) {
  return value > 0 ? static_cast<uint64_t>(std::min(value + 0.5, 1e18)) : 0;
}

std::string FormatPlainly(double value, Unit unit) {
  switch (unit) {
    case Unit::kCount:
      return FormatNumber(value);
    case Unit::kNanoseconds:
      return FormatDuration(Whole(value));
    case Unit::kBytes:
      return FormatBytes(Whole(value));
    case Unit::kShare:
      return FormatPercent(value);
    case Unit::kPerSecond:
      return FormatNumber(value) + "/s";
    case Unit::kBytesPerSecond:
      return FormatBytes(Whole(value)) + "/s";
    case Unit::kCores:
      break;
  }
  return Print("%.3g", value) + " cores";
}

}  // namespace

std::optional<Quantity> ParseQuantity(std::string_view text) {
  text = Trim(text);
  if (text.size() > kLongest) return {};
  Quantity quantity;
  const std::optional<double> number = TakeNumber(text);
  if (!number) return {};
  quantity.value = *number;
  const std::string_view written = Trim(text);
  if (written.empty()) return quantity;
  std::string word(written);
  std::transform(word.begin(), word.end(), word.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const bool is_rate = word.size() > 2 && word.ends_with("/s");
  if (is_rate) word.resize(word.size() - 2);
  const auto found = std::find_if(std::begin(kWords), std::end(kWords),
                                  [&word](const UnitWord& unit) { return unit.word == word; });
  if (found == std::end(kWords) || (is_rate && found->unit != Unit::kBytes)) return {};
  quantity.unit = is_rate ? Unit::kBytesPerSecond : found->unit;
  quantity.value *= found->scale;
  quantity.style = {std::string(written), found->scale};
  return quantity;
}

bool Fits(const Quantity& quantity, Unit unit) {
  if (quantity.unit) return *quantity.unit == unit;
  return quantity.value == 0 || unit == Unit::kCount || unit == Unit::kPerSecond ||
         unit == Unit::kCores;
}

std::string_view HowToWrite(Unit unit) {
  switch (unit) {
    case Unit::kCount:
      return "a number, such as 5";
    case Unit::kNanoseconds:
      return "a time in ns, us, ms, s, m or h, such as 20 ms";
    case Unit::kBytes:
      return "a size in B, KB, MB, GB, KiB, MiB or GiB, such as 50 MB";
    case Unit::kShare:
      return "a percentage, such as 5 %";
    case Unit::kPerSecond:
      return "a rate, such as 5/s";
    case Unit::kBytesPerSecond:
      return "a rate in B/s, KB/s, MB/s, GB/s or KiB/s, such as 10 MB/s";
    case Unit::kCores:
      break;
  }
  return "a number of cores, such as 0.5 cores";
}

std::string FormatMeasure(double value, Unit unit, const NumberStyle& style, bool exact) {
  const double scaled = value / style.scale;
  const bool is_readable = value == 0 || (std::abs(scaled) >= 0.01 && std::abs(scaled) < 1e6);
  if (exact) return Print("%.12g", scaled) + (style.unit.empty() ? "" : " " + style.unit);
  if (style.unit.empty() || !is_readable) return FormatPlainly(value, unit);
  return FormatNumber(scaled) + (style.unit.front() == '/' ? "" : " ") + style.unit;
}

std::string JoinError(const std::string& value, const std::string& error, bool unicode) {
  const auto unit_of = [](std::string_view text) {
    const size_t end = text.find_last_of("0123456789");
    return text.substr(end == std::string_view::npos ? 0 : end + 1);
  };
  const std::string_view unit = unit_of(value);
  const std::string sign = unicode ? " \u00b1" : " +-";
  if (unit != unit_of(error)) return value + sign + error;
  return value.substr(0, value.size() - unit.size()) + sign + error;
}

}  // namespace hindsight::analyzer
