#include "analyzer/analyses/comparison/consequences.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/comparison/states.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

// Events are the cause of their costs. Lower is closer to the cause.
int RankOf(Signal signal) {
  switch (signal) {
    case Signal::kExceptions:
    case Signal::kLocks:
      return 0;
    case Signal::kCpu:
    case Signal::kAllocations:
      return 1;
    case Signal::kPauses:
      return 2;
    default:
      return -1;  // neither cause nor consequence
  }
}

bool IsOn(const std::vector<std::string>& path, const std::string& method) {
  return !method.empty() && std::find(path.begin(), path.end(), method) != path.end();
}

// The method of a cause: for an exception, the one that throws.
std::string PlaceOf(const Difference& difference) {
  if (difference.level == Difference::Level::kMethod) return difference.subject;
  return difference.path.empty() ? "" : difference.path.back();
}

double SizeOf(const Difference& difference) {
  return std::abs(difference.after - difference.before);
}

// Orders differences that could each be the cause of the other, so that only one is.
bool IsLess(const Difference& a, const Difference& b) {
  return a.impact != b.impact ? a.impact < b.impact : a.signal > b.signal;
}

bool Follows(const Difference& effect, const Difference& cause, const ComparisonRules& rules) {
  if (IsWorse(effect) != IsWorse(cause)) return false;
  if (effect.signal == Signal::kCpu && IsCollecting(effect.subject)) {
    return cause.signal == Signal::kPauses || cause.signal == Signal::kAllocations;
  }
  if (effect.signal == Signal::kCpu && effect.subject == kCompilingFrame) {
    return cause.signal == Signal::kCpu && cause.measure == kStateMeasure;
  }
  if (effect.signal == cause.signal) {
    return effect.signal == Signal::kLocks && SizeOf(effect) < rules.held_up * SizeOf(cause) &&
           IsLess(effect, cause);
  }
  // What blocks the workers of a pool delays all requests.
  if (effect.signal == Signal::kRequests && cause.signal == Signal::kPool) {
    return effect.level == Difference::Level::kWhole && effect.measure.ends_with(kTimeOfRequests) &&
           cause.measure == kStateMeasure;
  }
  // The finding that workers block there says the same.
  if (effect.signal == Signal::kLocks && cause.signal == Signal::kPool) {
    return !effect.subject.empty() && effect.subject == cause.subject;
  }
  const int of_effect = RankOf(effect.signal), of_cause = RankOf(cause.signal);
  if (of_effect < 0 || of_cause < 0 || of_cause > of_effect) return false;
  // Collections that are requested have a cause of their own.
  if (effect.signal == Signal::kPauses) {
    return cause.signal == Signal::kAllocations && effect.subject.empty();
  }
  if (of_cause == of_effect && !IsLess(effect, cause)) return false;
  if (effect.level == Difference::Level::kType) return effect.subject == cause.subject;
  if (effect.level == Difference::Level::kWhole) return false;
  return IsOn(cause.path, effect.subject) || IsOn(effect.path, PlaceOf(cause));
}

}  // namespace

void FoldConsequences(std::vector<Difference>& differences, const ComparisonRules& rules) {
  std::vector<size_t> causes(differences.size());
  for (size_t i = 0; i < differences.size(); ++i) {
    causes[i] = i;
    for (size_t k = 0; k < differences.size(); ++k) {
      if (k == i || !Follows(differences[i], differences[k], rules)) continue;
      if (causes[i] == i || differences[k].impact > differences[causes[i]].impact) causes[i] = k;
    }
  }
  // Follow the chain to its end. There is one, because ranks and impacts only go one way.
  std::vector<size_t> reported(differences.size());
  for (size_t i = 0; i < differences.size(); ++i) {
    size_t cause = i;
    for (size_t steps = 0; causes[cause] != cause && steps < differences.size(); ++steps) {
      cause = causes[cause];
    }
    if (cause == i || causes[cause] != cause) continue;
    if (reported[cause]++ < rules.most_consequences) {
      differences[cause].evidence += "; with it, " + differences[i].title;
    }
  }
  std::vector<Difference> kept;
  for (size_t i = 0; i < differences.size(); ++i) {
    if (causes[i] == i) kept.push_back(std::move(differences[i]));
  }
  differences = std::move(kept);
}

}  // namespace hindsight::analyzer
