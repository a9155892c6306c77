// Which hosts differ from their siblings, by a rule that is robust against a few odd ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hindsight::analyzer {

struct OutlierRules {
  size_t fewest_siblings = 5;  // with fewer hosts, an application has no typical value
  double far = 5;              // an outlier is more than this many deviations from the median
  // A deviation is at least this share of the median, so that nearly equal hosts do not differ.
  double least_of_median = 0.1;
};

struct Outlier {
  size_t host = 0;  // index
  double value = 0, median = 0;
  double distance = 0;  // from the median, in deviations; negative: below it
};

// `values`: one per host. A host is an outlier if it is far from the median, and by at least
// `notable`. A deviation is the median absolute deviation, scaled like a standard deviation. Empty
// if there are too few.
std::vector<Outlier> FindOutliers(std::span<const double> values, double notable,
                                  const OutlierRules& rules = {});

double MedianOf(std::vector<double> values);  // 0 if there are none

}  // namespace hindsight::analyzer
