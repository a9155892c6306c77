#include "analyzer/commands/time_option.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace hindsight::analyzer {
namespace {

constexpr double kMaxNs = 366.0 * 86400e9;

constexpr std::array<std::pair<std::string_view, double>, 6> kUnits = {
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};

}  // namespace

std::optional<int64_t> ParseTime(std::string_view text) {
  double total = 0;
  double previous_unit = INFINITY;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const size_t unit_end = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view unit = text.substr(0, unit_end);
    double scale = 0;
    if (unit.empty() && previous_unit == INFINITY) scale = 1e9;
    for (const auto& [name, nanoseconds] : kUnits) {
      if (unit == name) scale = nanoseconds;
    }
    // Units descend: 1m30s, not 30s1m.
    if (scale == 0 || scale >= previous_unit) return std::nullopt;
    previous_unit = scale;
    total += number * scale;
    if (!(total <= kMaxNs)) return std::nullopt;
    text.remove_prefix(unit_end);
  }
  return static_cast<int64_t>(std::llround(total));
}

}  // namespace hindsight::analyzer
