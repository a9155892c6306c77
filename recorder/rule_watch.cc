#include "recorder/rule_watch.h"

#include <utility>

namespace hindsight::recorder {
namespace {

using contract::Rule;
using contract::RuleSubject;

constexpr uint64_t kSecond = 1'000'000'000;

// With a decimal, rounded up: what is above a limit must not look equal to it.
std::string Tenths(double value) {
  auto tenths = static_cast<uint64_t>(value * 10);
  if (static_cast<double>(tenths) < value * 10) ++tenths;
  return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
}

std::string Mebibytes(uint64_t bytes) {
  return Tenths(static_cast<double>(bytes) / (1 << 20)) + " MiB";
}

}  // namespace

RuleWatch::RuleWatch(const contract::Options& options) : options_(options) {
  for (const Rule& rule : options.rules) watched_.emplace_back().rule = &rule;
}

std::vector<RuleWatch::Fired> RuleWatch::Look(const RuleFacts& facts) {
  std::vector<Fired> fired;
  for (Watched& watched : watched_) {
    std::string what = Holds(watched, facts);
    if (what.empty() || !watched.limit.Fire(options_, facts.now_ns)) continue;
    fired.push_back({watched.rule, std::move(what), watched.limit.IsOver(options_)});
  }
  return fired;
}

bool RuleLimit::Fire(const contract::Options& options, uint64_t now_ns) {
  if (IsOver(options)) return false;
  if (rests_ && now_ns - fired_ns_ < options.rules_every_ns) return false;
  rests_ = true;
  fired_ns_ = now_ns;
  ++fired_;
  return true;
}

void RuleLimit::FalseAlarm() {
  constexpr uint32_t kForgiven = 5;
  rests_ = false;
  if (fired_ == 0 || forgiven_ == kForgiven) return;
  --fired_;
  ++forgiven_;
}

std::string RuleWatch::Holds(Watched& watched, const RuleFacts& facts) {
  const Rule& rule = *watched.rule;
  switch (rule.subject) {
    case RuleSubject::kMemory:
      return MemoryHolds(rule, facts);
    case RuleSubject::kHeap:
      if (facts.heap_bytes <= rule.limit) return {};
      return Mebibytes(facts.heap_bytes) + " of heap after a collection";
    case RuleSubject::kCpu:
      return RateHolds(watched, facts.now_ns, facts.cpu_ns);
    case RuleSubject::kExceptions:
      return RateHolds(watched, facts.now_ns, facts.throws);
    case RuleSubject::kUnhandled:
      return {};
    case RuleSubject::kPoolStarves:
      break;
  }
  if (std::exchange(watched.starvations, facts.starvations) == facts.starvations) return {};
  return "thread pool starvation";
}

std::string RuleWatch::MemoryHolds(const Rule& rule, const RuleFacts& facts) {
  const std::string used = Mebibytes(facts.memory_bytes) + " of memory";
  if (rule.limit_percent == 0) return facts.memory_bytes > rule.limit ? used : std::string();
  const uint64_t percent = facts.memory_limit_bytes / 100;
  if (percent == 0 || facts.memory_bytes <= percent * rule.limit_percent) return {};
  return used + ", " +
         Tenths(static_cast<double>(facts.memory_bytes) / static_cast<double>(percent)) + " % of " +
         Mebibytes(facts.memory_limit_bytes);
}

// The average over the rule's time, once that much time has been observed.
std::string RuleWatch::RateHolds(Watched& watched, uint64_t now_ns, uint64_t total) {
  const Rule& rule = *watched.rule;
  std::deque<Sample>& samples = watched.samples;
  samples.push_back({now_ns, total});
  while (samples.size() > 1 && now_ns - samples[1].at_ns >= rule.for_ns) samples.pop_front();
  const uint64_t elapsed_ns = now_ns - samples.front().at_ns;
  if (elapsed_ns < rule.for_ns || total < samples.front().total) return {};
  const double rate = static_cast<double>(total - samples.front().total) * kSecond /
                      static_cast<double>(elapsed_ns);
  if (rate <= static_cast<double>(rule.limit)) return {};
  const std::string seconds = " over " + std::to_string(elapsed_ns / kSecond) + " s";
  if (rule.subject == RuleSubject::kExceptions) {
    return Tenths(rate) + " exceptions/s" + seconds;
  }
  return Tenths(rate / 1e7) + " % of a core" + seconds;
}

}  // namespace hindsight::recorder
