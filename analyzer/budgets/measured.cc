#include "analyzer/budgets/measured.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analyzer/analyses/overview/reports.h"

namespace hindsight::analyzer {

Measured::Measured(const Reports& reports) : measures_(MeasuresOf(reports)) {
  for (const MeasureKind& kind : MeasureKinds()) {
    if (kind.needs->are_met(reports)) known_.insert(&kind);
  }
  Sort();
}

Measured::Measured(std::vector<Measure> measures, std::unordered_set<const MeasureKind*> known)
    : measures_(std::move(measures)), known_(std::move(known)) {
  Sort();
}

void Measured::Sort() {
  std::stable_sort(measures_.begin(), measures_.end(),
                   [](const Measure& a, const Measure& b) { return a.kind < b.kind; });
}

std::span<const Measure> Measured::Of(const MeasureKind& kind) const {
  const auto first =
      std::partition_point(measures_.begin(), measures_.end(),
                           [&kind](const Measure& measure) { return measure.kind < &kind; });
  const auto last = std::partition_point(
      first, measures_.end(), [&kind](const Measure& measure) { return measure.kind == &kind; });
  return {first, last};
}

void Measured::Add(const Comparison& comparison) {
  using Direction = Difference::Direction;
  std::array<double, kComparedSignals> worse_of{};
  double worse = 0;
  double better = 0;
  for (const Difference& difference : comparison.differences) {
    const bool is_better =
        difference.direction == Direction::kBetter || difference.direction == Direction::kGone;
    (is_better ? better : worse) += 1;
    if (!is_better) worse_of[static_cast<size_t>(difference.signal)] += 1;
  }
  const auto add = [this](std::string_view name, std::string_view subject_kind,
                          std::string_view subject, double value) {
    const MeasureKind* const kind = FindMeasureKind(name, subject_kind);
    known_.insert(kind);
    measures_.push_back({kind, std::string(subject), value, 0});
  };
  add("differences.worse", "", "", worse);
  add("differences.better", "", "", better);
  add("differences.count", "", "", worse + better);
  for (size_t i = 0; i < kComparedSignals; ++i) {
    add("differences.worse", "signal", SignalName(static_cast<Signal>(i)), worse_of[i]);
  }
  Sort();
}

}  // namespace hindsight::analyzer
