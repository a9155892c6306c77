#include "analyzer/model/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kSubBits = 5;  // 32 buckets per octave
constexpr uint64_t kExactBelow = 2u << kSubBits;

uint32_t BucketOf(uint64_t value) {
  if (value < kExactBelow) return static_cast<uint32_t>(value);
  const auto shift = static_cast<uint32_t>(std::bit_width(value)) - kSubBits - 1;
  return (shift << kSubBits) + static_cast<uint32_t>(value >> shift);
}

// The middle of the bucket.
uint64_t ValueOf(uint32_t bucket) {
  if (bucket < kExactBelow) return bucket;
  const uint32_t shift = (bucket >> kSubBits) - 1;
  const uint64_t low = static_cast<uint64_t>(bucket - (shift << kSubBits)) << shift;
  return low + (uint64_t{1} << shift) / 2;
}

}  // namespace

void Histogram::AddTo(uint32_t bucket, uint64_t count) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    counts_.insert(counts_.begin(), first_ - bucket, 0);
    first_ = bucket;
  }
  if (bucket - first_ >= counts_.size()) counts_.resize(bucket - first_ + 1);
  counts_[bucket - first_] += count;
}

void Histogram::Add(uint64_t value, uint64_t count) {
  if (count == 0) return;
  AddTo(BucketOf(value), count);
  count_ += count;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < other.counts_.size(); ++i) {
    if (other.counts_[i] != 0) AddTo(other.first_ + static_cast<uint32_t>(i), other.counts_[i]);
  }
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

uint64_t Histogram::Quantile(double q) const {
  if (count_ == 0) return 0;
  const auto wanted =
      static_cast<uint64_t>(std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= std::max<uint64_t>(wanted, 1)) {
      return std::clamp(ValueOf(first_ + static_cast<uint32_t>(i)), min_, max_);
    }
  }
  return max_;
}

double Histogram::Variance() const {
  if (count_ == 0) return 0;
  const auto sum_of = [this](const auto& amount) {
    double sum = 0;
    for (size_t i = 0; i < counts_.size(); ++i) {
      const auto value = static_cast<double>(ValueOf(first_ + static_cast<uint32_t>(i)));
      sum += amount(value) * static_cast<double>(counts_[i]);
    }
    return sum / static_cast<double>(count_);
  };
  const double mean = sum_of([](double value) { return value; });
  return sum_of([mean](double value) { return (value - mean) * (value - mean); });
}

}  // namespace hindsight::analyzer
