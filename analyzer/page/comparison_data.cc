#include "analyzer/page/comparison_data.h"

#include <algorithm>
#include <utility>

#include "analyzer/report/overview/overview_report.h"

namespace hindsight::analyzer {

Json ComparisonData(const Comparison& comparison, size_t most) {
  const size_t shown = std::min(most, comparison.differences.size());
  Json differences = Json::array();
  for (size_t i = 0; i < shown; ++i) {
    const Difference& difference = comparison.differences[i];
    Json path = Json::array();
    for (const std::string& method : difference.path) path.push_back(JsonText(method));
    differences.push_back({{"signal", SignalName(difference.signal)},
                           {"direction", DirectionName(difference.direction)},
                           {"is_worse", IsWorse(difference)},
                           {"title", JsonText(difference.title)},
                           {"evidence", JsonText(difference.evidence)},
                           {"path", std::move(path)},
                           {"confidence", difference.confidence},
                           {"command", JsonText(difference.command)}});
  }
  Json coverage = Json::array();
  for (const Coverage& one : comparison.coverage) {
    coverage.push_back({{"signal", SignalName(one.signal)},
                        {"state", CoverageName(one.state)},
                        {"looked_at", JsonText(one.looked_at)},
                        {"note", JsonText(one.note)}});
  }
  Json notes = Json::array();
  for (const std::string& note : comparison.notes) notes.push_back(JsonText(note));
  return {{"verdict", JsonText(VerdictOf(comparison))},
          {"differences", std::move(differences)},
          {"left_out", comparison.differences.size() - shown},
          {"coverage", std::move(coverage)},
          {"notes", std::move(notes)}};
}

}  // namespace hindsight::analyzer
