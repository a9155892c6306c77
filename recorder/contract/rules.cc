#include "recorder/contract/rules.h"

#include "recorder/contract/text.h"
#include "recorder/contract/units.h"

namespace hindsight::contract {
namespace {

constexpr uint64_t kDefaultCpuNs = 10 * kSecond, kDefaultExceptionsNs = 5 * kSecond;
constexpr uint64_t kMinAverageNs = kSecond, kMaxAverageNs = 600 * kSecond;
constexpr uint64_t kMinBytes = 1u << 20;
constexpr uint64_t kMaxMemoryPercent = 99;
constexpr uint64_t kMaxCpuPercent = 100'000, kMaxThrows = 10'000'000;
constexpr char kConditions[] =
    "the condition must be one like memory>2GiB, memory>80%, heap>2GiB, cpu>90%/10s, "
    "exceptions/s>200/5s, pool.starves or unhandled";
constexpr char kNotThreads[] =
    "unhandled can mark, or take a heap snapshot, which has the stacks of all threads, too";

bool ParseWhole(std::string_view text, uint64_t most, uint64_t& out) {
  constexpr size_t kMaxDigits = 9;
  if (text.empty() || text.size() > kMaxDigits) return false;
  out = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    out = out * 10 + static_cast<uint64_t>(c - '0');
  }
  return out > 0 && out <= most;
}

bool ParseAction(std::string_view text, RuleAction& out) {
  if (text == "mark") {
    out = RuleAction::kMark;
  } else if (text == "threads") {
    out = RuleAction::kThreads;
  } else if (text == "snapshot") {
    out = RuleAction::kSnapshot;
  } else {
    return false;
  }
  return true;
}

// `N[/DURATION]`, or `N%[/DURATION]`.
std::string ParseRate(std::string_view text, Rule& rule) {
  const size_t slash = text.find('/');
  std::string_view number = Trim(text.substr(0, slash));
  const bool is_cpu = rule.subject == RuleSubject::kCpu;
  if (is_cpu) {
    uint64_t percent = 0;
    if (!number.ends_with('%') ||
        !ParseWhole(number.substr(0, number.size() - 1), kMaxCpuPercent, percent)) {
      return "CPU time must be a whole percentage of one core, such as cpu>90% or cpu>350%";
    }
    rule.limit = percent * (kSecond / 100);
  } else if (!ParseWhole(number, kMaxThrows, rule.limit)) {
    return "exceptions per second must be a whole number, such as exceptions/s>200";
  }
  rule.for_ns = is_cpu ? kDefaultCpuNs : kDefaultExceptionsNs;
  if (slash == std::string_view::npos) return {};
  if (!ParseDuration(Trim(text.substr(slash + 1)), rule.for_ns) || rule.for_ns < kMinAverageNs ||
      rule.for_ns > kMaxAverageNs) {
    return "the time after the slash must be from 1s to 10m";
  }
  return {};
}

std::string ParseCondition(std::string_view text, Rule& rule) {
  if (text == "pool.starves") {
    rule.subject = RuleSubject::kPoolStarves;
    return {};
  }
  if (text == "unhandled") {
    rule.subject = RuleSubject::kUnhandled;
    return rule.action == RuleAction::kThreads ? kNotThreads : std::string();
  }
  const size_t above = text.find('>');
  if (above == std::string_view::npos) return kConditions;
  const std::string_view name = Trim(text.substr(0, above));
  const std::string_view value = Trim(text.substr(above + 1));
  if (name == "cpu" || name == "exceptions/s") {
    rule.subject = name == "cpu" ? RuleSubject::kCpu : RuleSubject::kExceptions;
    return ParseRate(value, rule);
  }
  if (name != "memory" && name != "heap") return kConditions;
  rule.subject = name == "heap" ? RuleSubject::kHeap : RuleSubject::kMemory;
  if (name == "memory" && value.ends_with('%')) {
    if (ParseWhole(value.substr(0, value.size() - 1), kMaxMemoryPercent, rule.limit_percent)) {
      return {};
    }
    return "a share of the memory limit must be from 1% to 99%, such as memory>80%";
  }
  if (ParseSize(value, rule.limit) && rule.limit >= kMinBytes) return {};
  return "the limit must be a size of at least 1MiB, such as memory>2GiB";
}

}  // namespace

std::string ParseRule(std::string_view text, Rule& out) {
  Rule rule;
  rule.text = Trim(text);
  const size_t colon = rule.text.rfind(':');
  if (colon == std::string::npos ||
      !ParseAction(Trim(std::string_view(rule.text).substr(colon + 1)), rule.action)) {
    return "a rule must end with an action (:mark, :threads or :snapshot), such as "
           "memory>2GiB:snapshot";
  }
  std::string wrong = ParseCondition(Trim(std::string_view(rule.text).substr(0, colon)), rule);
  if (wrong.empty()) out = std::move(rule);
  return wrong;
}

}  // namespace hindsight::contract
