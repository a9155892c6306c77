// A log-linear histogram of durations: quantiles of any number of values in bounded memory.
#pragma once

#include <cstdint>
#include <vector>

namespace hindsight::analyzer {

// 32 buckets per octave, and exact below 64: a quantile is off by at most kMaxRelativeError of the
// true value. At most 1,920 buckets of 8 bytes; only the range in use is stored.
class Histogram {
 public:
  static constexpr double kMaxRelativeError = 1.0 / 64;

  void Add(uint64_t value, uint64_t count = 1);
  void Merge(const Histogram& other);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }
  // The value below which the share `q` (0..1) of the values lies; 0 if there are no values.
  uint64_t Quantile(double q) const;
  // 0 if there are no values.
  double Variance() const;

 private:
  void AddTo(uint32_t bucket, uint64_t count);

  uint32_t first_ = 0;  // the bucket of counts_[0]
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
};

}  // namespace hindsight::analyzer
