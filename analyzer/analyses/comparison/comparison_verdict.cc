// The one line that a comparison comes down to.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// "; tasks, heap only in the second recording"
std::string OnlyIn(std::string_view which, const std::vector<Signal>& signals) {
  std::string names;
  for (const Signal signal : signals) {
    names += names.empty() ? "; " : ", ";
    names += SignalName(signal);
  }
  return names.empty() ? "" : names + " only in the " + std::string(which) + " recording";
}

}  // namespace

std::string VerdictOf(const Comparison& comparison) {
  const auto worse = static_cast<size_t>(
      std::count_if(comparison.differences.begin(), comparison.differences.end(), IsWorse));
  const size_t better = comparison.differences.size() - worse;
  if (comparison.is_empty()) {
    if (!comparison.perhaps.empty())
      return "No difference is certain. Perhaps: " + comparison.perhaps;
    const auto compared = static_cast<size_t>(std::count_if(
        comparison.coverage.begin(), comparison.coverage.end(), [](const Coverage& coverage) {
          return coverage.state != Coverage::State::kNotRecorded &&
                 coverage.state != Coverage::State::kNothingThere;
        }));
    if (compared == 0) return "No difference: nothing to compare.";
    return "No difference: " + Plural(compared, "signal") + " compared" +
           OnlyIn("first", comparison.only_before) + OnlyIn("second", comparison.only_after) + ".";
  }
  const std::string& first = comparison.differences.front().title;
  if (worse == 0) {
    return "No regressions, " + Plural(better, "improvement") +
           (comparison.fewer_served.empty()
                ? ""
                : ", but fewer requests (" + comparison.fewer_served + ")") +
           ": " + first;
  }
  return Plural(worse, "regression") + ": " + first;
}

}  // namespace hindsight::analyzer
