// Growth over a recording: a number at the start, in the middle and at the end of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analyzer/model/recording_facts.h"

namespace hindsight::analyzer {

struct TimeSpan {
  int64_t from_ns = 0, to_ns = 0;

  bool Contains(int64_t at_ns) const { return at_ns >= from_ns && at_ns < to_ns; }
};

// The thirds of a recording after its first quarter, in which a process may still start.
class Thirds {
 public:
  explicit Thirds(const RecordingFacts& facts) {
    const int64_t began_ns = facts.begin_ns();
    span_ = {began_ns + (facts.last_ns - began_ns) / 4, facts.last_ns};
    const int64_t third_ns = (span_.to_ns - span_.from_ns) / 3;
    for (int i = 0; i < 3; ++i) {
      thirds_[static_cast<size_t>(i)] = {span_.from_ns + i * third_ns,
                                         span_.from_ns + (i + 1) * third_ns};
    }
  }

  const TimeSpan& span() const { return span_; }
  const TimeSpan& operator[](size_t third) const { return thirds_[third]; }
  // From the middle of the first to that of the last.
  uint64_t between_ns() const {
    return static_cast<uint64_t>(std::max<int64_t>(0, span_.to_ns - span_.from_ns) * 2 / 3);
  }

 private:
  TimeSpan span_;
  std::array<TimeSpan, 3> thirds_;
};

// The median of `number` (a member, or a function) of the rows within `span`, where 0 stands for
// unknown; none if there are fewer than `least`.
template <typename Row, typename Number>
std::optional<uint64_t> MedianOf(const std::vector<Row>& rows, const Number& number,
                                 const TimeSpan& span, size_t least) {
  std::vector<uint64_t> values;
  for (const Row& row : rows) {
    if (!span.Contains(row.at_ns)) continue;
    if (const uint64_t value = std::invoke(number, row); value != 0) values.push_back(value);
  }
  if (values.size() < least) return std::nullopt;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct ThirdsGrowth {
  std::array<uint64_t, 3> medians{};  // of each third

  uint64_t grown() const { return medians[2] > medians[0] ? medians[2] - medians[0] : 0; }
  // One step, of an initialization for example, is no growth.
  bool is_steady() const { return SlowestHalf() >= 0.2; }
  // At the same pace all the time: what a process does to start fades out.
  bool is_even() const { return SlowestHalf() >= 0.4; }

 private:
  // Of all growth, the smaller one of what came before and after the middle; 0: it did not grow.
  double SlowestHalf() const {
    const auto between = [&](size_t from, size_t to) {
      return static_cast<double>(medians[to]) - static_cast<double>(medians[from]);
    };
    return grown() == 0 ? 0 : std::min(between(0, 1), between(1, 2)) / between(0, 2);
  }
};

// None: a third has too few values.
template <typename Row, typename Number>
std::optional<ThirdsGrowth> GrowthOf(const std::vector<Row>& rows, const Number& number,
                                     const Thirds& thirds) {
  constexpr size_t kLeastValues = 3;
  ThirdsGrowth growth;
  for (size_t i = 0; i < growth.medians.size(); ++i) {
    const std::optional<uint64_t> median = MedianOf(rows, number, thirds[i], kLeastValues);
    if (!median) return std::nullopt;
    growth.medians[i] = *median;
  }
  return growth;
}

}  // namespace hindsight::analyzer
