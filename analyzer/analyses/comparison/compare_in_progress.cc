// Requests that are in progress, where it is not known how long they take.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/requests.h"

namespace hindsight::analyzer {
namespace {

// Of an amount, on average over the recording.
double PerSecondOf(const Model& model, uint64_t amount) {
  return static_cast<double>(amount) / SecondsOf(model);
}

}  // namespace

std::optional<std::string> CompareRequestsInProgress(const Model& before, const Model& after,
                                                     const ComparisonRules& rules) {
  if (MayKeepRequestsOpen(before.dictionaries) || MayKeepRequestsOpen(after.dictionaries) ||
      std::min(before.requests.finished, after.requests.finished) < rules.many_requests) {
    return std::nullopt;
  }
  const double load =
      PerSecondOf(after, after.requests.finished) / PerSecondOf(before, before.requests.finished);
  if (Away(load) >= rules.other_load) return std::nullopt;
  const double was = PerSecondOf(before, before.requests.total_ns) / 1e9,
               is = PerSecondOf(after, after.requests.total_ns) / 1e9;
  const auto [less, more] = std::minmax(was, is);
  if (more < less + rules.more_in_progress || more < rules.in_progress_factor * less) {
    return std::nullopt;
  }
  return "Requests in progress, on average: " + FormatRate(was) + " -> " + FormatRate(is);
}

}  // namespace hindsight::analyzer
