// Medians and spreads of a few measurements on a noisy machine.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace hindsight::bench {

// `values` is not empty.
inline double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// "0.86 (0.84 to 0.88)": median, smallest, largest.
inline std::string Summary(const std::vector<double>& values, int decimals) {
  char text[96];
  std::snprintf(text, sizeof text, "%.*f (%.*f to %.*f)", decimals, Median(values), decimals,
                *std::ranges::min_element(values), decimals, *std::ranges::max_element(values));
  return text;
}

}  // namespace hindsight::bench
