// At most kMaxSamples of a long series of samples: when they are full, each is dropped with a
// probability of one half, and the rest represent twice as much, as do those that are kept from
// then on.
//
// At random, because the series has rhythms of its own: if two threads take turns, every second
// sample is of the same thread. The seed is fixed, so that a recording always reads the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "analyzer/model/packed_rows.h"

namespace hindsight::analyzer {

// `Sample::Scale(times)` makes it represent that many of its kind.
template <typename Sample>
class ThinnedSamples {
 public:
  // `limit` is at least 2.
  ThinnedSamples(PackedRows<Sample>& samples, size_t limit) : samples_(samples), limit_(limit) {}

  void Add(Sample sample) {
    if (stride_ > 1 && chance_() % stride_ != 0) return;
    if (samples_.size() == limit_) {
      samples_.Rewrite([this](Sample& old) {
        old.Scale(2);
        return chance_() % 2 != 0;
      });
      stride_ *= 2;
      if (chance_() % 2 != 0) return;
    }
    sample.Scale(stride_);
    samples_.push_back(sample);
  }

 private:
  PackedRows<Sample>& samples_;
  const size_t limit_;
  uint64_t stride_ = 1;  // a power of two
  std::mt19937 chance_;
};

}  // namespace hindsight::analyzer
