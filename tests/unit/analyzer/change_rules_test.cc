// The thresholds of comparisons, each at its edge: the same amounts are reported on one side of it,
// and not on the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analyzer/analyses/call_paths.h"
#include "analyzer/analyses/comparison/changes.h"

namespace hindsight::analyzer {
namespace {

constexpr double kCertain = 1;  // as a limit of p: everything is significant
constexpr double kBelow = 0.999, kAbove = 1.001;

// This many samples of 1 in each slice, except for what `uneven` moves from one slice to the next.
Amounts Steady(double each, double uneven = 0) {
  Amounts amounts;
  for (size_t i = 0; i < Amounts::kSlices; ++i) {
    const double here = each + (i % 2 == 0 ? uneven : -uneven);
    amounts.Add(i, here, here, static_cast<uint64_t>(here));
  }
  return amounts;
}

ChangeCell Cell(double before, double after, double uneven = 0) {
  return {Steady(before, uneven), Steady(after, uneven)};
}

ChangeRow Row(std::string subject, std::vector<uint32_t> cells, int preference = 0) {
  return {.level = Difference::Level::kMethod,
          .subject = std::move(subject),
          .preference = preference,
          .cells = std::move(cells)};
}

ChangeTest TestOf(const SignalChanges& signal, const ChangeRow& row) {
  const ChangeCell sum = SumOf(signal, row.cells);
  return TestChange({sum.before, 1, nullptr}, {sum.after, 1, nullptr}, signal.margin);
}

std::string FirstReported(const SignalChanges& signal, const ChangeRules& rules) {
  const std::vector<Change> changes = ExplainChanges(signal, kCertain, rules);
  return changes.empty() ? "nothing" : changes.front().row->subject;
}

// A method that changed, and its caller, which also does other things and is reported instead if it
// explains the change as well.
TEST(ChangeRules, ARowIsEquallyGoodFromAShareOfTheBestOn) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40), Cell(40, 40)};
  signal.rows = {Row("Shop.Parse", {0}), Row("Shop.Load", {0, 1}, 1)};
  const ChangeTest best = TestOf(signal, signal.rows[0]), other = TestOf(signal, signal.rows[1]);
  const double good =
      std::min(other.t / best.t, (other.after - other.before) / (best.after - best.before));
  ASSERT_LT(good, 1);
  ChangeRules rules;
  rules.equally_good = good * kBelow;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Load");
  rules.equally_good = good * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
}

// The whole, and a method that has most of the change.
TEST(ChangeRules, APartIsReportedForTheWholeFromAShareOfItsChangeOn) {
  SignalChanges signal;
  signal.cells = {Cell(20, 50), Cell(20, 30)};
  signal.rows = {Row("", {0, 1}), Row("Shop.Parse", {0}, 1)};
  const ChangeTest whole = TestOf(signal, signal.rows[0]), part = TestOf(signal, signal.rows[1]);
  ASSERT_GT(whole.t, part.t);
  const double share = (part.after - part.before) / (whole.after - whole.before);
  EXPECT_NEAR(share, 0.75, 1e-9);
  ChangeRules rules;
  rules.as_sure_as_whole = 0;
  rules.most_of_whole = share * kBelow;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
  rules.most_of_whole = share * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "");

  const double sure = part.t / whole.t;
  rules.most_of_whole = 0;
  rules.as_sure_as_whole = sure * kBelow;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
  rules.as_sure_as_whole = sure * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "");
}

// What a method gained, the code around it lost: by this many standard errors.
TEST(ChangeRules, WhatMovedHasToBeSure) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40), Cell(40, 10)};
  signal.rows = {Row("Shop.Parse", {0})};
  signal.surroundings = [](const ChangeRow&, int) { return std::vector<uint32_t>{1}; };
  const double t = TestOf(signal, Row("", {1})).t;
  ChangeRules rules;
  rules.sure_move = t * kBelow;
  EXPECT_EQ(FirstReported(signal, rules), "nothing");
  rules.sure_move = t * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
}

TEST(ChangeRules, WhatMovedIntoTheVeryCodeThatMayHoldItHasToBeLikely) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40), Cell(40, 10)};
  signal.rows = {Row("Shop.Parse", {0})};
  signal.surroundings = [](const ChangeRow&, int) { return std::vector<uint32_t>{}; };
  signal.nearby = [&](const ChangeRow&, int, const std::function<bool(uint32_t)>&) {
    return signal.cells[1];
  };
  const double t = TestOf(signal, Row("", {1})).t;
  ChangeRules rules;
  rules.likely_move = t * kBelow;
  EXPECT_EQ(FirstReported(signal, rules), "nothing");
  rules.likely_move = t * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
}

// Varies so much that nothing is certain: half of it came in one slice.
Amounts Restless(double each) {
  Amounts amounts = Steady(each / 2);
  amounts.Add(0, each / 2 * Amounts::kSlices, each, 20);
  return amounts;
}

// A method that is part of its caller in one recording: both vary alike, so neither is certain.
TEST(ChangeRules, AMethodThatOneRecordingHasNoneOfIsInItsCallerThatHasAsMuchMore) {
  const auto reported = [](double caller_after, const ChangeRules& rules) {
    SignalChanges signal;
    signal.cells = {{Restless(30), Restless(2)}, {Restless(10), Restless(caller_after)}};
    signal.rows = {Row("Shop.LinesOf", {0})};
    signal.surroundings = [](const ChangeRow&, int) { return std::vector<uint32_t>{1}; };
    EXPECT_LT(TestOf(signal, Row("", {1})).t, rules.sure_move);
    return FirstReported(signal, rules);
  };
  ChangeRules rules;
  EXPECT_EQ(reported(38, rules), "nothing");
  EXPECT_EQ(reported(10 + 28 * 0.69, rules), "Shop.LinesOf");  // outweighed: 0.3 is left
  EXPECT_EQ(reported(10 + 28 * 0.71, rules), "nothing");
  rules.as_good_as_gone = 2.0 / 30 * kBelow;
  EXPECT_EQ(reported(38, rules), "Shop.LinesOf");
}

TEST(ChangeRules, ACallerHasNoMoreWhereItsCalleesHaveAsMuchLess) {
  SignalChanges signal;
  signal.cells = {{Restless(30), {}}, {Restless(10), Restless(40)}};
  signal.rows = {Row("Shop.Each", {1})};
  EXPECT_EQ(FirstReported(signal, {}), "Shop.Each");
  signal.one_sided_callees = [](const ChangeRow&) { return std::vector<uint32_t>{0}; };
  EXPECT_EQ(FirstReported(signal, {}), "nothing");
  signal.cells[0].before = Restless(20);  // 0.33 of it is left
  EXPECT_EQ(FirstReported(signal, {}), "Shop.Each");
}

// What it gained, the caller of its caller lost.
TEST(ChangeRules, WhatMovedIsLookedForAtSoManyCallers) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40), Cell(40, 10)};
  signal.rows = {Row("Shop.Parse", {0})};
  signal.surroundings = [](const ChangeRow&, int reach) {
    return reach < 2 ? std::vector<uint32_t>{} : std::vector<uint32_t>{1};
  };
  ChangeRules rules;
  rules.most_reach = 2;
  EXPECT_EQ(FirstReported(signal, rules), "nothing");
  rules.most_reach = 1;
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
}

TEST(ChangeRules, OfFewSamplesNothingIsReported) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40)};
  signal.rows = {Row("Shop.Parse", {0})};
  signal.rows[0].is_part = true;
  const auto tests = [&signal] {
    std::vector<double> p_values;
    AppendPValues(signal, p_values);
    return p_values.size();
  };
  signal.cells[0].before.samples = 0;
  signal.cells[0].after.samples = kFewSamples - 1;
  EXPECT_EQ(FirstReported(signal, {}), "nothing");
  EXPECT_EQ(tests(), 0u);
  EXPECT_EQ(FindBursts(signal, -1).size(), 0u);
  signal.cells[0].after.samples = kFewSamples;
  EXPECT_EQ(FirstReported(signal, {}), "Shop.Parse");
  EXPECT_EQ(tests(), 1u);
  EXPECT_EQ(FindBursts(signal, -1).size(), 1u);
}

TEST(ChangeRules, WhatIsLeftBesideWhatMovedIsAChangeFromAShareOn) {
  SignalChanges signal;
  signal.cells = {Cell(10, 50), Cell(50, 20)};  // a quarter is left
  signal.rows = {Row("Shop.Parse", {0})};
  signal.surroundings = [](const ChangeRow&, int) { return std::vector<uint32_t>{1}; };
  ChangeRules rules;
  rules.outweighed = 0.25 * kAbove;
  EXPECT_EQ(FirstReported(signal, rules), "nothing");
  rules.outweighed = 0.25 * kBelow;  // what is left is significant at kCertain
  EXPECT_EQ(FirstReported(signal, rules), "Shop.Parse");
  // If that may be chance, more may be left.
  signal.cells = {Cell(10, 20), Cell(20, 15)};
  const double limit = TestOf(signal, Row("", {0, 1})).p / 2;
  ASSERT_LT(TestOf(signal, Row("", {0})).p, limit);
  const auto reported = [&] { return ExplainChanges(signal, limit, rules).size(); };
  rules.partly_outweighed = 0.5 * kAbove;
  EXPECT_EQ(reported(), 0u);
  rules.partly_outweighed = 0.5 * kBelow;
  EXPECT_EQ(reported(), 1u);
}

TEST(ChangeRules, ABurstIsSoManyTimesTheOther) {
  SignalChanges signal;
  signal.cells = {Cell(10, 40)};
  signal.rows = {Row("Shop.Import", {0})};
  signal.rows[0].is_part = true;
  constexpr double kNothing = -1;  // as a limit of p: nothing is significant
  ChangeRules rules;
  rules.burst_factor = 4 * kBelow;
  EXPECT_EQ(FindBursts(signal, kNothing, rules).size(), 1u);
  EXPECT_EQ(FindBursts(signal, kCertain, rules).size(), 0u);  // a change
  rules.burst_factor = 4 * kAbove;
  EXPECT_EQ(FindBursts(signal, kNothing, rules).size(), 0u);

  rules = {};
  const ChangeCell& cell = signal.cells[0];
  const double errors = (cell.after.total - cell.before.total) /
                        std::sqrt(cell.after.variance + cell.before.variance);
  rules.sure_sampling = errors * kBelow;
  EXPECT_EQ(FindBursts(signal, kNothing, rules).size(), 1u);
  rules.sure_sampling = errors * kAbove;
  EXPECT_EQ(FindBursts(signal, kNothing, rules).size(), 0u);
}

TEST(ChangeRules, ABurstThatMayHaveMovedIsNone) {
  SignalChanges signal;
  signal.cells = {{Steady(40), {}}, {Steady(10), Steady(40)}};
  signal.rows = {Row("Shop.LinesOf", {0})};
  signal.rows[0].is_part = true;
  constexpr double kNothingIsSignificant = -1;
  EXPECT_EQ(FindBursts(signal, kNothingIsSignificant).size(), 1u);
  signal.surroundings = [](const ChangeRow&, int) { return std::vector<uint32_t>{1}; };
  EXPECT_EQ(FindBursts(signal, kNothingIsSignificant).size(), 0u);
  ChangeRules rules;
  rules.partly_outweighed = 0.25 * kBelow;  // 10 of 40 are left
  EXPECT_EQ(FindBursts(signal, kNothingIsSignificant, rules).size(), 1u);
  // Three quarters of the change are in native functions, which no caller has taken over.
  signal.in_native = [](const SignalChanges& all, const std::vector<uint32_t>& cells) {
    return -0.75 * SumOf(all, cells).before.total;
  };
  rules = {};
  EXPECT_EQ(FindBursts(signal, kNothingIsSignificant, rules).size(), 1u);
  rules.mostly_native = 0.75 * kAbove;
  EXPECT_EQ(FindBursts(signal, kNothingIsSignificant, rules).size(), 0u);
}

TEST(ChangeRules, TheLargestBurstsAreReportedAndFew) {
  SignalChanges signal;
  for (uint32_t i = 0; i < 3; ++i) {
    signal.cells.push_back(Cell(10, 40 + 10 * i));
    signal.rows.push_back(Row("Shop.Import" + std::to_string(i), {i}));
    signal.rows.back().is_part = true;
  }
  ChangeRules rules;
  const std::vector<Change> bursts = FindBursts(signal, -1, rules);
  ASSERT_EQ(bursts.size(), rules.most_bursts);
  EXPECT_EQ(bursts[0].row->subject, "Shop.Import2");
  rules.most_bursts = 3;
  EXPECT_EQ(FindBursts(signal, -1, rules).size(), 3u);
}

// Parts that changed equally.
SignalChanges Alike(size_t parts, double factor) {
  SignalChanges signal;
  for (uint32_t i = 0; i < parts; ++i) {
    signal.cells.push_back(Cell(50, 50 * factor));
    signal.rows.push_back(Row("Shop.M" + std::to_string(i), {i}));
    signal.rows.back().is_part = true;
  }
  return signal;
}

TEST(ChangeRules, ACommonFactorIsSureByTheRulesThatAreAskedFor) {
  const SignalChanges signal = Alike(4, 1.2);
  ChangeRules rules;
  EXPECT_TRUE(FindCommonFactor(signal, rules).is_sure);
  // Each part's ratio is known by its variability, the mean of four twice as well.
  const ChangeCell whole = WholeOf(signal);
  const auto relative = [](const Amounts& part, const Amounts& all) {
    return VariabilityOf(part, &all).variance / (part.total * part.total);
  };
  const double error = std::sqrt(relative(signal.cells[0].before, whole.before) +
                                 relative(signal.cells[0].after, whole.after)) /
                       2;
  rules.sure_move = std::log(1.2) / error * kBelow;
  EXPECT_TRUE(FindCommonFactor(signal, rules).is_sure);
  rules.sure_move = std::log(1.2) / error * kAbove;
  EXPECT_FALSE(FindCommonFactor(signal, rules).is_sure);
}

TEST(ChangeRules, ACommonFactorTakesSoManyRatiosThatAreKnown) {
  ChangeRules rules;
  EXPECT_EQ(FindCommonFactor(Alike(2, 2), rules).factor, 1);
  EXPECT_NEAR(FindCommonFactor(Alike(3, 2), rules).factor, 2, 1e-6);
  const SignalChanges signal = Alike(3, 2);
  const ChangeCell whole = WholeOf(signal);
  const Amounts& before = signal.cells[0].before;
  const Amounts& after = signal.cells[0].after;
  const double error =
      std::sqrt(VariabilityOf(before, &whole.before).variance / (before.total * before.total) +
                VariabilityOf(after, &whole.after).variance / (after.total * after.total));
  rules.known_ratio = error * kAbove;
  EXPECT_EQ(FindCommonFactor(signal, rules).rows, 3u);
  rules.known_ratio = error * kBelow;
  EXPECT_EQ(FindCommonFactor(signal, rules).rows, 0u);
}

// Parts that changed by these factors.
SignalChanges Factors(const std::vector<double>& factors) {
  SignalChanges signal = Alike(factors.size(), 1);
  for (size_t i = 0; i < factors.size(); ++i) signal.cells[i] = Cell(50, 50 * factors[i]);
  return signal;
}

TEST(ChangeRules, ACommonFactorIsThatOfMoreThanAShare) {
  const SignalChanges signal = Factors({2, 2, 2, 0.5, 0.2});
  ChangeRules rules;
  rules.most_agree = 0.59;
  EXPECT_NEAR(FindCommonFactor(signal, rules).factor, 2, 1e-6);
  rules.most_agree = 0.6;
  EXPECT_EQ(FindCommonFactor(signal, rules).factor, 1);
}

TEST(ChangeRules, ACommonFactorIsThatOfMoreThanDidNotChange) {
  const SignalChanges signal = Factors({2, 2, 2, 1, 1});
  ChangeRules rules;
  rules.shown_by_each = 1.49;
  EXPECT_NEAR(FindCommonFactor(signal, rules).factor, 2, 1e-6);
  rules.shown_by_each = 1.5;
  EXPECT_EQ(FindCommonFactor(signal, rules).factor, 1);
}

TEST(ChangeRules, ACommonFactorIsShownByAllWithFewAgainstIt) {
  const SignalChanges signal = Factors({2, 2, 2, 2, 1});
  ChangeRules rules;
  rules.shown_by_each = 10;
  rules.against_all = 0.25;
  EXPECT_NEAR(FindCommonFactor(signal, rules).factor, 2, 1e-6);
  rules.against_all = 0.24;
  EXPECT_EQ(FindCommonFactor(signal, rules).factor, 1);
}

// The third one is 1.9 errors from each of the others, and from the mean of all.
TEST(ChangeRules, RatiosAgreeWithinSoManyOfTheirErrors) {
  const SignalChanges signal = Factors({2, 2, 2.2});
  ChangeRules rules;
  rules.agreement = 2;
  EXPECT_EQ(FindCommonFactor(signal, rules).alike, 3u);
  rules.agreement = 1.8;
  EXPECT_EQ(FindCommonFactor(signal, rules).alike, 2u);
}

// The smallest ratio is looked at first, and nothing agrees with it.
TEST(ChangeRules, ACommonFactorIsLookedForAtSoManyRatios) {
  SignalChanges signal = Alike(4, 2);
  signal.cells.push_back(Cell(50, 25));
  signal.rows.push_back(Row("Shop.Less", {4}));
  signal.rows.back().is_part = true;
  ChangeRules rules;
  rules.most_candidates = 2;
  EXPECT_NEAR(FindCommonFactor(signal, rules).factor, 2, 1e-6);
  rules.most_candidates = 1;
  EXPECT_EQ(FindCommonFactor(signal, rules).factor, 1);
}

TEST(ChangeRules, OneSignalHasSoManyChanges) {
  SignalChanges signal;
  for (uint32_t i = 0; i < 3; ++i) {
    signal.cells.push_back(Cell(10, 40));
    signal.rows.push_back(Row("Shop.M" + std::to_string(i), {i}));
  }
  ChangeRules rules;
  EXPECT_EQ(ExplainChanges(signal, kCertain, rules).size(), 3u);
  rules.most_changes = 2;
  EXPECT_EQ(ExplainChanges(signal, kCertain, rules).size(), 2u);
}

}  // namespace
}  // namespace hindsight::analyzer
