// Counts over time in a fixed number of buckets, however long the time becomes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace hindsight::analyzer {

// Time 0 is the start of the recording; earlier times count as 0. The buckets' width doubles when a
// time lies beyond the last one.
class TimeSeries {
 public:
  static constexpr uint64_t kBuckets = 64;
  static constexpr uint64_t kFirstWidthNs = 1'000'000;

  void Add(int64_t time_ns, uint64_t count = 1);
  // Spreads `count`, at most 2^53, evenly over [from_ns, to_ns).
  void AddEvenly(int64_t from_ns, int64_t to_ns, uint64_t count);
  void Merge(const TimeSeries& other);

  uint64_t width_ns() const { return width_ns_; }
  // The counts in `parts` equal parts of [from_ns, to_ns); a bucket that overlaps several is
  // divided in proportion.
  std::vector<double> Resampled(int64_t from_ns, int64_t to_ns, uint32_t parts) const;

 private:
  void Widen();

  uint64_t width_ns_ = kFirstWidthNs;
  std::array<uint64_t, kBuckets> counts_{};
};

}  // namespace hindsight::analyzer
