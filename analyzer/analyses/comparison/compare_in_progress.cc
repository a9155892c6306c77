// Requests that are in progress, where it is not known how long they take.
#include <algorithm>
#include <optional>
#include <string>

#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/requests.h"

namespace hindsight::analyzer {
namespace {

double InProgress(const Model& model) {
  return static_cast<double>(model.requests.total_ns) / 1e9 / SecondsOf(model);
}

}  // namespace

std::optional<std::string> CompareRequestsInProgress(const Model& before, const Model& after,
                                                     const ComparisonRules& rules) {
  if (MayKeepRequestsOpen(before.dictionaries) || MayKeepRequestsOpen(after.dictionaries) ||
      std::min(before.requests.finished, after.requests.finished) < rules.many_requests ||
      Away(ServedPerSecond(after) / ServedPerSecond(before)) >= rules.other_load) {
    return std::nullopt;
  }
  const double was = InProgress(before), is = InProgress(after);
  const auto [less, more] = std::minmax(was, is);
  if (more < less + rules.more_in_progress || more < rules.in_progress_factor * less) {
    return std::nullopt;
  }
  return "Requests in progress, on average: " + FormatRate(was) + " -> " + FormatRate(is);
}

}  // namespace hindsight::analyzer
