#include "analyzer/fleet/outliers.h"

#include <algorithm>
#include <cmath>

namespace hindsight::analyzer {
namespace {

constexpr double kAsStandard = 1.4826;  // of the median absolute deviation of a normal distribution

}  // namespace

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return values[middle - 1] + (values[middle] - values[middle - 1]) / 2;
}

std::vector<Outlier> FindOutliers(std::span<const double> values, double notable,
                                  const OutlierRules& rules) {
  std::vector<Outlier> outliers;
  if (values.size() < rules.fewest_siblings) return outliers;
  const double median = MedianOf({values.begin(), values.end()});
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - median));
  // `notable` also keeps the divisor above zero.
  const double deviation =
      std::max({kAsStandard * MedianOf(distances), rules.least_of_median * std::abs(median),
                notable / rules.far});
  for (size_t i = 0; i < values.size(); ++i) {
    const double distance = (values[i] - median) / deviation;
    if (std::abs(distance) <= rules.far || distances[i] < notable) continue;
    outliers.push_back({i, values[i], median, distance});
  }
  return outliers;
}

}  // namespace hindsight::analyzer
