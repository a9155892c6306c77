#include "analyzer/analyses/comparison/significance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hindsight::analyzer {
namespace {

TEST(Significance, StudentTailIsThatOfTheTables) {
  EXPECT_NEAR(StudentTail(0, 5), 0.5, 1e-9);
  EXPECT_NEAR(StudentTail(2.228, 10), 0.025, 1e-4);
  EXPECT_NEAR(StudentTail(-2.228, 10), 0.975, 1e-4);
  EXPECT_NEAR(StudentTail(3.747, 4), 0.01, 1e-4);
  EXPECT_NEAR(StudentTail(1.645, 1e6), 0.05, 1e-4);
  EXPECT_NEAR(StudentTail(31.82, 1), 0.01, 1e-4);
  // Small ones keep their digits.
  EXPECT_NEAR(std::log10(StudentTail(10, 1e6)), -23.1, 0.1);
}

TEST(Significance, HolmStopsAtTheFirstThatIsTooLikely) {
  EXPECT_DOUBLE_EQ(HolmLimit({0.001, 0.004, 0.2}, 0.01), 0.004);
  EXPECT_DOUBLE_EQ(HolmLimit({0.001, 0.006, 0.006}, 0.01), 0.001);
  EXPECT_LT(HolmLimit({0.004, 0.5, 0.5}, 0.01), 0);
  EXPECT_LT(HolmLimit({}, 0.01), 0);
}

TEST(Significance, SlicesOfATimeCoverIt) {
  const TimeSlices slices(100, 100 + 2400);
  EXPECT_EQ(slices.Of(100), 0u);
  EXPECT_EQ(slices.Of(199), 0u);
  EXPECT_EQ(slices.Of(200), 1u);
  EXPECT_EQ(slices.Of(2500), Amounts::kSlices - 1);
  EXPECT_EQ(slices.Of(-7), 0u);
  EXPECT_EQ(TimeSlices(5, 5).Of(5), 0u);
}

Amounts Counts(const std::vector<double>& slices) {
  Amounts amounts;
  for (size_t i = 0; i < slices.size(); ++i) {
    amounts.Add(i, slices[i], slices[i], static_cast<uint64_t>(slices[i]));
  }
  return amounts;
}

TEST(Significance, UnrestIsAtLeastThatOfSampling) {
  const Variability even = VariabilityOf(Counts(std::vector<double>(Amounts::kSlices, 10)));
  EXPECT_DOUBLE_EQ(even.variance, 240);
}

TEST(Significance, ABurstIsOneEvent) {
  std::vector<double> burst(Amounts::kSlices);
  burst[3] = 600;
  // Its standard error is all of it.
  EXPECT_NEAR(std::sqrt(VariabilityOf(Counts(burst)).variance), 600, 20);
}

TEST(Significance, PhasesCountLessThanSlices) {
  std::vector<double> phases(Amounts::kSlices), mixed(Amounts::kSlices);
  for (size_t i = 0; i < Amounts::kSlices; ++i) {
    phases[i] = i < Amounts::kSlices / 2 ? 100 : 200;
    mixed[i] = i % 2 == 0 ? 100 : 200;
  }
  EXPECT_GT(VariabilityOf(Counts(phases)).variance, 4 * VariabilityOf(Counts(mixed)).variance);
  EXPECT_LT(VariabilityOf(Counts(phases)).freedom, 5);
}

// Two halves: each slice is nearly like the next one.
TEST(Significance, SlicesHangTogetherUpToALimit) {
  std::vector<double> halves(Amounts::kSlices, 100);
  std::fill(halves.begin() + Amounts::kSlices / 2, halves.end(), 200);
  ChanceRules rules;
  for (const double most : {0.5, 0.8}) {
    rules.most_correlation = most;
    const Variability limited = VariabilityOf(Counts(halves), nullptr, rules);
    EXPECT_DOUBLE_EQ(limited.variance, (1 + most) / (1 - most) * limited.of_slices);
  }
}

TEST(Significance, OfWellKnownAmountsTheRatioIsTested) {
  const Amounts before = Counts(std::vector<double>(Amounts::kSlices, 4));
  const Amounts after = Counts(std::vector<double>(Amounts::kSlices, 8));
  // The smaller one's standard error: of 96, and of the one that may be missing.
  const double error = std::sqrt(97.0) / 96;
  ChanceRules rules;
  rules.well_known = error * 1.001;
  const double by_ratio = TestChange({before}, {after}, 0, rules).t;
  rules.well_known = error * 0.999;
  const double by_difference = TestChange({before}, {after}, 0, rules).t;
  EXPECT_NEAR(by_ratio, std::log(2) / std::hypot(error, std::sqrt(193.0) / 192), 1e-9);
  EXPECT_NEAR(by_difference, 96 / std::sqrt(97.0 + 193.0), 1e-9);
}

TEST(Significance, WhatProgramsUsuallyDoIsNoLargeChange) {
  std::vector<double> halves(Amounts::kSlices, 20);
  std::fill(halves.begin() + Amounts::kSlices / 2, halves.end(), 60);
  std::vector<double> more = halves;
  for (double& slice : more) slice *= 20;
  const auto p = [&](double variability, double freedom) {
    ChanceRules rules;
    rules.usual_variability = variability;
    rules.usual_freedom = freedom;
    return TestChange({Counts(halves)}, {Counts(more)}, 0, rules).p;
  };
  const ChanceRules usual;
  const double at_rule = p(usual.usual_variability, usual.usual_freedom);
  EXPECT_LT(p(usual.usual_variability * 0.99, usual.usual_freedom), at_rule);
  EXPECT_GT(p(usual.usual_variability * 1.01, usual.usual_freedom), at_rule);
  EXPECT_LT(p(usual.usual_variability, usual.usual_freedom * 1.01), at_rule);
}

TEST(Significance, SwappingTheRecordingsMirrorsTheTest) {
  const Amounts few = Counts(std::vector<double>(Amounts::kSlices, 10));
  const Amounts many = Counts(std::vector<double>(Amounts::kSlices, 25));
  const ChangeTest up = TestChange({few, 0.5}, {many, 2}, 0.1);
  const ChangeTest down = TestChange({many, 2}, {few, 0.5}, 0.1);
  EXPECT_DOUBLE_EQ(up.before, 120);
  EXPECT_DOUBLE_EQ(up.after, 1200);
  EXPECT_NEAR(up.p / down.p, 1, 1e-9);
  EXPECT_DOUBLE_EQ(up.error, down.error);
}

// The promise: for two recordings of the same program, at most the share `alpha` of tests reports a
// change, whatever the variability is like.
class NullTest : public ::testing::TestWithParam<int> {};

// Counts in slices of a process that does not change.
std::vector<double> Draw(int kind, std::mt19937& chance) {
  std::vector<double> slices(Amounts::kSlices);
  if (kind == 0) {  // events by themselves
    std::poisson_distribution<int> count(8);
    for (double& slice : slices) slice = count(chance);
  } else if (kind == 1) {  // bursts of very different sizes
    std::poisson_distribution<int> bursts(0.3);
    std::lognormal_distribution<double> size(3, 1);
    for (double& slice : slices) {
      for (int i = bursts(chance); i > 0; --i) slice += std::ceil(size(chance));
    }
  } else if (kind == 2) {  // a load that drifts
    std::normal_distribution<double> step(0, 1);
    double level = step(chance) * 1.5;
    for (double& slice : slices) {
      level = 0.6 * level + step(chance);
      slice = std::max(0.0, std::round(100 + 20 * level));
    }
  } else {  // rare
    std::poisson_distribution<int> count(0.2);
    for (double& slice : slices) slice = count(chance);
  }
  return slices;
}

TEST_P(NullTest, FalseCallsStayBelowWhatIsPromised) {
  std::mt19937 chance(42);
  constexpr int kPairs = 20000;
  int calls_5 = 0, calls_0_1 = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Amounts before = Counts(Draw(GetParam(), chance));
    const Amounts after = Counts(Draw(GetParam(), chance));
    const double p = TestChange({before}, {after}, 0).p;
    calls_5 += p < 0.05 ? 1 : 0;
    calls_0_1 += p < 0.001 ? 1 : 0;
  }
  // One-sided in both directions: twice the nominal rate is the limit. A drift leaves so few
  // independent pieces that its rare errors are up to four times as many.
  EXPECT_LT(calls_5, kPairs * 0.05 * 2 * 1.1);
  EXPECT_LT(calls_0_1, kPairs * 0.001 * 2 * (GetParam() == 2 ? 4 : 1.5));
  RecordProperty("calls_at_5_percent", calls_5);
  RecordProperty("calls_at_0.1_percent", calls_0_1);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NullTest, ::testing::Range(0, 4));

// Amounts around `level`, in phases, as on a machine that is also busy with other things.
Amounts Phases(double level, std::mt19937& chance) {
  std::normal_distribution<double> step(0, 1);
  double phase = 0.5 * step(chance);
  std::vector<double> slices(Amounts::kSlices);
  for (double& slice : slices) {
    slice = std::round(level * std::exp(phase));
    phase = 0.8 * phase + 0.3 * step(chance);
  }
  return Counts(slices);
}

TEST(Significance, BetweenPhasesOnlyALargeChangeIsOne) {
  std::mt19937 chance(11);
  constexpr int kPairs = 2000;
  constexpr double kUnsteady = 0.4, kLimit = 5e-4;
  int none = 0, large = 0;
  for (int i = 0; i < kPairs; ++i) {
    const Amounts before = Phases(100, chance), same = Phases(100, chance);
    const Amounts after = Phases(2000, chance);
    none += TestChange({before}, {same}, kUnsteady).p < kLimit ? 1 : 0;
    large += TestChange({before}, {after}, kUnsteady).p < kLimit ? 1 : 0;
  }
  EXPECT_LT(none, kPairs * 0.002);
  EXPECT_GT(large, kPairs * 0.95);
}

TEST(Significance, WhatComesOnceIsNoLargeChange) {
  std::vector<double> slices(Amounts::kSlices);
  slices[7] = 500;
  EXPECT_GT(TestChange({Amounts()}, {Counts(slices)}, 0).p, 0.05);
}

TEST(Significance, FindsWhatIsThere) {
  std::mt19937 chance(7);
  std::poisson_distribution<int> before(8), after(16);
  int found = 0;
  constexpr int kPairs = 2000;
  for (int i = 0; i < kPairs; ++i) {
    std::vector<double> old_slices(Amounts::kSlices), new_slices(Amounts::kSlices);
    for (double& slice : old_slices) slice = before(chance);
    for (double& slice : new_slices) slice = after(chance);
    // As if among 100 others.
    found += TestChange({Counts(old_slices)}, {Counts(new_slices)}, 0.1).p < 1e-4 ? 1 : 0;
  }
  EXPECT_GT(found, kPairs * 0.8);
}

}  // namespace
}  // namespace hindsight::analyzer
