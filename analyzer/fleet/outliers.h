// Which hosts differ from their siblings, by a rule that a few odd ones cannot bend.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hindsight::analyzer {

// Fewer hosts of an application have no typical value.
inline constexpr size_t kFewestSiblings = 5;

struct Outlier {
  size_t host = 0;  // index
  double value = 0, median = 0;
  double distance = 0;  // from the median, in deviations; negative: below it
};

// `values`: one a host. A host is an outlier if it is more than 5 deviations from the median and by
// at least `notable`. A deviation is the median absolute deviation, scaled as a standard deviation
// is, and at least a tenth of the median: hosts that are all but equal differ by nothing.
// Empty with fewer than kFewestSiblings.
std::vector<Outlier> FindOutliers(std::span<const double> values, double notable);

double MedianOf(std::vector<double> values);  // 0 of none

}  // namespace hindsight::analyzer
