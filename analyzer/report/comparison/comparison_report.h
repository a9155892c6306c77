// The output of `hindsight diff` for two recordings, as text and as JSON. Pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/fields/shape.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct ComparisonView {
  const Comparison* comparison = nullptr;
  const Reports* before = nullptr;
  const Reports* after = nullptr;
  std::string before_label, after_label;  // as given by the user
  size_t top = 10;                        // differences in the text; 0: all
};

std::string ComparisonText(const ComparisonView& view, const TextStyle& style);
std::string ComparisonJson(const ComparisonView& view);
SharedShape ComparisonShape();

}  // namespace hindsight::analyzer
