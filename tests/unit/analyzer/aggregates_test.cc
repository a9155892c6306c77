// The bounded aggregates: histogram, counter, series.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "analyzer/model/bounded_counter.h"
#include "analyzer/model/histogram.h"
#include "analyzer/model/time_series.h"

namespace hindsight::analyzer {
namespace {

TEST(Histogram, QuantilesStayWithinTheStatedError) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> durations(10, 3);
  std::vector<uint64_t> values(20000);
  Histogram histogram;
  for (uint64_t& value : values) {
    value = static_cast<uint64_t>(durations(random));
    histogram.Add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(values[static_cast<size_t>(q * values.size()) - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.Quantile(q)), exact,
                exact * Histogram::kMaxRelativeError + 0.5)
        << q;
  }
}

TEST(Histogram, IsExactForOneValueAndForExtremes) {
  Histogram histogram;
  EXPECT_EQ(histogram.Quantile(0.99), 0u);
  histogram.Add(7);
  EXPECT_EQ(histogram.Quantile(0.5), 7u);
  histogram.Add(UINT64_MAX);
  histogram.Add(0);
  EXPECT_EQ(histogram.Quantile(0), 0u);
  EXPECT_EQ(histogram.max(), UINT64_MAX);
  EXPECT_GE(static_cast<double>(histogram.Quantile(1)), 0.98 * 18446744073709551615.0);
}

TEST(Histogram, MergesAsIfAllHadComeToOne) {
  Histogram low, high, both;
  for (uint64_t i = 1; i <= 1000; ++i) {
    (i % 3 == 0 ? low : high).Add(i * i);
    both.Add(i * i);
  }
  low.Merge(high);
  EXPECT_EQ(low.count(), 1000u);
  for (const double q : {0.1, 0.5, 0.99}) EXPECT_EQ(low.Quantile(q), both.Quantile(q));
}

TEST(Histogram, KnowsHowFarValuesAreFromTheirMean) {
  Histogram histogram;
  EXPECT_EQ(histogram.Variance(), 0);
  histogram.Add(1'000'000, 5);
  EXPECT_EQ(histogram.Variance(), 0);
  histogram.Add(3'000'000, 5);
  EXPECT_NEAR(histogram.Variance(), 1e12, 1e12 * 4 * Histogram::kMaxRelativeError);
}

TEST(BoundedCounter, IsExactBelowItsCapacity) {
  BoundedCounter<int, 4> counter;
  for (int i = 0; i < 100; ++i) counter.Add(i % 4);
  EXPECT_TRUE(counter.exact());
  ASSERT_EQ(counter.entries().size(), 4u);
  for (const auto& entry : counter.entries()) EXPECT_EQ(entry.at_least(), 25u);
}

TEST(BoundedCounter, BoundsTheTrueCountsBeyondIt) {
  BoundedCounter<int, 8> counter;
  std::map<int, uint64_t> truth;
  std::mt19937 random(2);
  std::geometric_distribution<int> keys(0.2);
  for (int i = 0; i < 10000; ++i) {
    const int key = keys(random);
    counter.Add(key);
    ++truth[key];
  }
  EXPECT_FALSE(counter.exact());
  EXPECT_EQ(counter.total(), 10000u);
  for (const auto& entry : counter.entries()) {
    EXPECT_LE(entry.at_least(), truth[entry.key]);
    EXPECT_GE(entry.count, truth[entry.key]);
  }
  for (const auto& [key, count] : truth) {
    if (count <= 10000 / 8) continue;
    EXPECT_TRUE(std::any_of(counter.entries().begin(), counter.entries().end(),
                            [k = key](const auto& entry) { return entry.key == k; }))
        << key;
  }
}

TEST(BoundedCounter, MergesWithItsErrors) {
  BoundedCounter<int, 2> rough, sum;
  for (int i = 0; i < 9; ++i) rough.Add(i % 3);
  ASSERT_FALSE(rough.exact());
  sum.Merge(rough);
  EXPECT_FALSE(sum.exact());
  EXPECT_EQ(sum.total(), 9u);
  for (const auto& entry : sum.entries()) EXPECT_LE(entry.at_least(), 3u);
}

TEST(TimeSeries, KeepsEveryCountHoweverLongTheTime) {
  TimeSeries series;
  for (int64_t second = 0; second < 5000; ++second) series.Add(second * 1'000'000'000);
  series.Add(-5);
  const std::vector<double> parts = series.Resampled(0, 5000LL * 1'000'000'000, 10);
  EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), 5001, 1e-6);
  for (const double part : parts) EXPECT_NEAR(part, 500, 90);
}

TEST(TimeSeries, ShowsABurstWhereItWas) {
  TimeSeries series;
  series.Add(500'000'000, 100);
  const std::vector<double> parts = series.Resampled(0, 1'000'000'000, 10);
  EXPECT_GT(parts[4] + parts[5], 99);
}

TEST(TimeSeries, DividesACountAmongTheTimeThatItIsOf) {
  constexpr int64_t kMs = 1'000'000;
  TimeSeries series;
  series.AddEvenly(10 * kMs, 20 * kMs, 1003);
  const std::vector<double> parts = series.Resampled(0, 40 * kMs, 8);
  EXPECT_EQ(parts[1], 0);
  EXPECT_NEAR(parts[2], 501.5, 1);
  EXPECT_NEAR(parts[3], 501.5, 1);
  EXPECT_EQ(parts[4], 0);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), 1003);
}

TEST(TimeSeries, DividesAmongAnyTime) {
  constexpr uint64_t kMost = uint64_t{1} << 53;
  for (const auto& [from_ns, to_ns] : std::map<int64_t, int64_t>{
           {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN}, {-5, -4}, {7, 7}, {0, INT64_MAX}}) {
    TimeSeries series;
    series.AddEvenly(from_ns, to_ns, kMost);
    const std::vector<double> parts = series.Resampled(0, INT64_MAX, 1);
    EXPECT_EQ(parts[0], static_cast<double>(kMost)) << from_ns;
  }
}

TEST(TimeSeries, AcceptsAnyTime) {
  TimeSeries series;
  series.Add(INT64_MAX);
  series.Add(INT64_MIN);
  EXPECT_EQ(series.Resampled(5, 5, 10), std::vector<double>(10));
}

}  // namespace
}  // namespace hindsight::analyzer
