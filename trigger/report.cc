#include "trigger/report.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "recorder/contract/text.h"
#include "trigger/answers.h"

namespace hindsight::trigger {
namespace {

bool ParseNumber(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

std::string HumanValue(std::string_view key, std::string_view value) {
  uint64_t number = 0;
  if (ParseNumber(value, number)) {
    if (key.ends_with("_bytes")) return HumanBytes(number);
    if (key.ends_with("_ns")) return HumanDuration(number);
  }
  return contract::Printable(value);
}

// "thread_cpu_ns" -> "thread cpu"
std::string HumanKey(std::string_view key) {
  for (const std::string_view unit : {"_bytes", "_ns"}) {
    if (key.ends_with(unit)) key.remove_suffix(unit.size());
  }
  std::string text(key);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

}  // namespace

TriggerExit Report(const Failure& failure, bool json) {
  if (json) std::fputs(FailureJson(failure).c_str(), stdout);
  std::fprintf(stderr, "hindsight-trigger: %s\n", contract::Printable(failure.what).c_str());
  if (!failure.next.empty()) {
    std::fprintf(stderr, "%s\n", contract::Printable(failure.next).c_str());
  }
  return failure.code;
}

void PrintFields(const contract::Reply& reply) {
  size_t width = 0;
  for (const auto& [key, value] : reply.fields) width = std::max(width, HumanKey(key).size());
  for (const auto& [key, value] : reply.fields) {
    if (value.empty()) continue;
    std::printf("  %-*s  %s\n", static_cast<int>(width), HumanKey(key).c_str(),
                HumanValue(key, value).c_str());
  }
}

std::string HumanBytes(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string HumanDuration(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000;
  char text[48];
  if (nanoseconds < 1'000'000) {
    std::snprintf(text, sizeof text, "%.1f us", static_cast<double>(nanoseconds) / 1e3);
  } else if (nanoseconds < kSecond) {
    std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(nanoseconds) / 1e6);
  } else if (nanoseconds < 60 * kSecond) {
    std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanoseconds) / 1e9);
  } else {
    const uint64_t seconds = nanoseconds / kSecond;
    std::snprintf(text, sizeof text, "%lluh%02llum%02llus",
                  static_cast<unsigned long long>(seconds / 3600),
                  static_cast<unsigned long long>(seconds / 60 % 60),
                  static_cast<unsigned long long>(seconds % 60));
  }
  return text;
}

}  // namespace hindsight::trigger
