// Requests that fail, whatever their route: with an exception that reached the server, or with a
// status of 500 or more, by the server's own counts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/analyses/comparison/change_text.h"
#include "analyzer/analyses/comparison/compared_signal.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

struct Failures {
  uint64_t count = 0, of = 0;

  double share() const {
    return std::min(1.0, static_cast<double>(count) / static_cast<double>(of));
  }
  std::string Text() const { return FormatCount(count) + " of " + FormatCount(of); }
};

// How they fail, after "requests".
struct Words {
  std::string_view measure, fail, no_longer;
};

std::optional<Difference> Compare(const Failures& before, const Failures& after, const Words& words,
                                  const ComparisonRules& rules) {
  const auto was_of = static_cast<double>(before.of), is_of = static_cast<double>(after.of);
  const double was = before.share(), is = after.share();
  const double all = (was * was_of + is * is_of) / (was_of + is_of);
  const double error = 1.96 * std::sqrt(all * (1 - all) * (1 / was_of + 1 / is_of));
  if (std::abs(is - was) < std::max(rules.min_failing_share, rules.sure_failing * error)) return {};
  Difference difference = OfAllRequests(words.measure, AmountKind::kShare, was, is, rules);
  difference.error = error;
  difference.impact = std::min(1.0, std::abs(is - was) / rules.weights.failing);
  difference.title = is == 0 ? "Requests " + std::string(words.no_longer)
                             : FormatPercent(is) + " of the requests " + std::string(words.fail);
  difference.title += ", was " + FormatPercent(was);
  difference.evidence = before.Text() + " -> " + after.Text() +
                        " requests; which ones was not recorded (requests.routes=on)";
  if (is > was) difference.command = "exceptions";
  return difference;
}

}  // namespace

std::optional<Difference> CompareFailingRequests(const Model& old_model, const Model& new_model,
                                                 const ComparisonRules& rules) {
  const Requests &before = old_model.requests, &after = new_model.requests;
  if (std::min(before.finished, after.finished) < rules.few_requests) return {};
  std::optional<Difference> difference = Compare(
      {before.failed, before.finished}, {after.failed, after.finished},
      {".failed.share", "fail with an exception", "no longer fail with an exception"}, rules);
  if (difference || !before.server_errors || !after.server_errors) return difference;
  return Compare({*before.server_errors, before.finished}, {*after.server_errors, after.finished},
                 {".server_errors.share", "are answered with a server error (500 or above)",
                  "are no longer answered with a server error (500 or above)"},
                 rules);
}

}  // namespace hindsight::analyzer
