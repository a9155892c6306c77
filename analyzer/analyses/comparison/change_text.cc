#include "analyzer/analyses/comparison/change_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

std::string Digits(double value) {
  std::array<char, 64> text{};
  const double size = std::abs(value);
  const int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.0995 ? 2 : 3;
  if (size >= 1e6) return FormatCount(static_cast<uint64_t>(size));
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

uint64_t Whole(double value) {
  return static_cast<uint64_t>(std::llround(std::clamp(value, 0.0, 1e18)));
}

// The text after an amount.
std::string_view PerText(Per per) {
  switch (per) {
    case Per::kSecond:
      return "/s";
    case Per::kCpu:
      return "/CPU-s";
    case Per::kRequest:
      return "/request";
    case Per::kNothing:
      break;
  }
  return "";
}

}  // namespace

Unit UnitOf(AmountKind kind, Per per) {
  const bool by_time = per == Per::kSecond;
  switch (kind) {
    case AmountKind::kCpuTime:
    case AmountKind::kWaiting:
      return by_time ? Unit::kCores : Unit::kNanoseconds;
    case AmountKind::kPauses:
      return by_time ? Unit::kShare : Unit::kNanoseconds;
    case AmountKind::kBytes:
      return by_time ? Unit::kBytesPerSecond : Unit::kBytes;
    case AmountKind::kShare:
      return Unit::kShare;
    case AmountKind::kCount:
      break;
  }
  return by_time ? Unit::kPerSecond : Unit::kCount;
}

std::string AmountText(AmountKind kind, Per per, double amount) {
  const bool by_time = per == Per::kSecond;
  switch (kind) {
    case AmountKind::kCpuTime:
      if (by_time) return Digits(amount) + " cores";
      break;
    case AmountKind::kWaiting:
      if (by_time) return Digits(amount) + " threads";
      break;
    case AmountKind::kPauses:
      if (by_time) return FormatPercent(amount) + " of the time";
      break;
    case AmountKind::kBytes:
      return FormatBytes(Whole(amount)) + std::string(PerText(per));
    case AmountKind::kCount:
      return Digits(amount) + std::string(PerText(per));
    case AmountKind::kShare:
      return FormatPercent(amount);
  }
  return FormatDuration(Whole(amount)) + std::string(PerText(per));
}

std::string FromTo(AmountKind kind, Per per, double before, double after) {
  const auto text = [=](double amount) {
    const bool is_none = amount == 0 && kind != AmountKind::kShare;
    return is_none ? std::string("none") : AmountText(kind, per, amount);
  };
  const std::string to = text(after);
  std::string from = text(before);
  // The unit is written once if both have the same.
  const size_t unit = to.find(' ');
  const size_t own = from.find(' ');
  if (unit != std::string::npos && own != std::string::npos &&
      from.substr(own) == to.substr(unit)) {
    from.resize(own);
  }
  return from + " -> " + to;
}

std::string Times(double ratio) {
  if (ratio >= 1000) {  // three digits are enough
    const double unit = std::pow(10, std::floor(std::log10(ratio)) - 2);
    return FormatCount(Whole(std::round(ratio / unit) * unit)) + " times";
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), ratio < 99.5 ? "%.1f times" : "%.0f times", ratio);
  return text.data();
}

std::string HowMuch(double before, double after, std::string_view what) {
  const double ratio = after / before;
  if (ratio >= kTimesFrom) return Times(ratio) + " the " + std::string(what);
  std::array<char, 64> text{};
  if (ratio >= 1) {
    std::snprintf(text.data(), text.size(), "%.0f %% more ", (ratio - 1) * 100);
  } else {
    const double percent = (1 - ratio) * 100;
    std::snprintf(text.data(), text.size(), "%s%.0f %% %s ", percent > 99 ? "over " : "",
                  std::min(percent, 99.0), what.ends_with('s') ? "fewer" : "less");
  }
  return text.data() + std::string(what);
}

std::string HowLong(double before, double after) {
  const double ratio = after / before;
  return ratio >= kTimesFrom ? Times(ratio) + " as long" : HowMuch(before, after, "time");
}

Difference::Direction DirectionOf(double before, double after) {
  if (before == 0) return Difference::Direction::kNew;
  if (after == 0) return Difference::Direction::kGone;
  return after > before ? Difference::Direction::kWorse : Difference::Direction::kBetter;
}

}  // namespace hindsight::analyzer
