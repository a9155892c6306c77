// The answer of `hindsight diff` for two recordings, for a person and as JSON. Pure functions.
//
// JSON, schema 1:
// {
//   "schema": 1, "command": "diff", "verdict": a sentence,
//   "per": "second" | "cpu" | "request" | "nothing",
//   "before", "after": see report/json.h, with a "label"; null of heap snapshots alone,
//   "differences": [{"signal", "level": "whole" | "type" | "method" | "path",
//     "direction": "worse" | "better" | "new" | "gone", "measure", "subject", "path": [outermost
//     first], "unit", "before", "after", "error", "confidence", "impact", "title", "evidence",
//     "command"}], worse before better, the most impact first,
//   "coverage": [{"signal", "compared", "looked_at", "note"}], "notes": [sentences]
// }
// `unit`: "count", "nanoseconds", "bytes", "share", "per_second", "bytes_per_second", "cores".
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/report/text_style.h"

namespace hindsight::analyzer {

struct ComparisonView {
  const Comparison* comparison = nullptr;
  const Reports* before = nullptr;
  const Reports* after = nullptr;
  std::string before_label, after_label;  // how the user named them
  size_t top = 10;                        // differences in the text; 0: all
};

std::string ComparisonText(const ComparisonView& view, const TextStyle& style);
std::string ComparisonJson(const ComparisonView& view);

}  // namespace hindsight::analyzer
