#include "analyzer/model/time_series.h"

#include <algorithm>

namespace hindsight::analyzer {

void TimeSeries::Widen() {
  for (uint64_t i = 0; i < kBuckets / 2; ++i) counts_[i] = counts_[2 * i] + counts_[2 * i + 1];
  std::fill(counts_.begin() + kBuckets / 2, counts_.end(), 0);
  width_ns_ *= 2;
}

void TimeSeries::Add(int64_t time_ns, uint64_t count) {
  const uint64_t time = time_ns < 0 ? 0 : static_cast<uint64_t>(time_ns);
  while (time / width_ns_ >= kBuckets) Widen();
  counts_[time / width_ns_] += count;
}

void TimeSeries::AddEvenly(int64_t from_ns, int64_t to_ns, uint64_t count) {
  const auto from = static_cast<uint64_t>(std::max<int64_t>(0, from_ns));
  const auto to = static_cast<uint64_t>(std::max<int64_t>(0, to_ns));
  if (to <= from) return Add(to_ns, count);
  Add(to_ns - 1, 0);  // so that there is a bucket for it
  uint64_t done = 0;
  for (uint64_t i = from / width_ns_; i * width_ns_ < to; ++i) {
    const uint64_t end = std::min(to, (i + 1) * width_ns_);
    const double share = static_cast<double>(end - from) / static_cast<double>(to - from);
    const uint64_t so_far =
        end == to ? count : static_cast<uint64_t>(share * static_cast<double>(count));
    counts_[i] += so_far - done;
    done = so_far;
  }
}

void TimeSeries::Merge(const TimeSeries& other) {
  while (width_ns_ < other.width_ns_) Widen();
  for (uint64_t i = 0; i < kBuckets; ++i) {
    if (other.counts_[i] != 0) counts_[i * other.width_ns_ / width_ns_] += other.counts_[i];
  }
}

std::vector<double> TimeSeries::Resampled(int64_t from_ns, int64_t to_ns, uint32_t parts) const {
  std::vector<double> out(parts);
  if (to_ns <= from_ns || parts == 0) return out;
  const double part = static_cast<double>(to_ns - from_ns) / parts;
  const auto width = static_cast<double>(width_ns_);
  for (uint64_t i = 0; i < kBuckets; ++i) {
    if (counts_[i] == 0) continue;
    // Within the window; the bucket at its edge holds nothing beyond it.
    const double begin =
        std::max(0.0, static_cast<double>(i) * width - static_cast<double>(from_ns));
    const double end = std::min(static_cast<double>(to_ns - from_ns),
                                static_cast<double>(i + 1) * width - static_cast<double>(from_ns));
    const auto count = static_cast<double>(counts_[i]);
    if (end <= begin) {
      out[begin <= 0 ? 0 : parts - 1] += count;
      continue;
    }
    for (auto p = static_cast<uint32_t>(begin / part); p < parts; ++p) {
      const double low = std::max(begin, p * part);
      const double high = std::min(end, (p + 1) * part);
      if (high <= low) break;
      out[p] += count * (high - low) / (end - begin);
    }
  }
  return out;
}

}  // namespace hindsight::analyzer
