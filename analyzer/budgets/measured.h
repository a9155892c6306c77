// A recording's measures, and which ones it could have.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "analyzer/analyses/comparison/comparison.h"
#include "analyzer/analyses/overview/measures.h"

namespace hindsight::analyzer {

class Measured {
 public:
  explicit Measured(const Reports& reports);
  // For tests: `known` are the recorded kinds, whether or not there is a measure.
  Measured(std::vector<Measure> measures, std::unordered_set<const MeasureKind*> known);

  // Adds the results of a comparison with the baseline.
  void Add(const Comparison& comparison);

  bool Knows(const MeasureKind& kind) const { return known_.contains(&kind); }
  std::span<const Measure> Of(const MeasureKind& kind) const;

 private:
  void Sort();

  std::vector<Measure> measures_;  // ordered by kind
  std::unordered_set<const MeasureKind*> known_;
};

}  // namespace hindsight::analyzer
