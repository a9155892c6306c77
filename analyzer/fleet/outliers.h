// Which hosts differ from their siblings, by a rule that a few odd ones cannot bend.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hindsight::analyzer {

struct OutlierRules {
  size_t fewest_siblings = 5;  // fewer hosts of an application have no typical value
  double far = 5;              // an outlier is more than so many deviations from the median
  // A deviation is at least this share of the median: hosts that are all but equal differ by
  // nothing.
  double least_of_median = 0.1;
};

struct Outlier {
  size_t host = 0;  // index
  double value = 0, median = 0;
  double distance = 0;  // from the median, in deviations; negative: below it
};

// `values`: one a host. A host is an outlier if it is far from the median and by at least
// `notable`. A deviation is the median absolute deviation, scaled as a standard deviation is. Empty
// with too few.
std::vector<Outlier> FindOutliers(std::span<const double> values, double notable,
                                  const OutlierRules& rules = {});

double MedianOf(std::vector<double> values);  // 0 of none

}  // namespace hindsight::analyzer
