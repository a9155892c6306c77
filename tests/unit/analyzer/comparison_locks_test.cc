// Waits for locks in two recordings: amounts, and states at the end.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "analyzer/analyses/comparison/comparison.h"
#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

TEST_F(ComparisonTest, ALockIsReportedWithTheCpuTimeInIt) {
  for (Side* side : {&before_, &after_}) {
    const bool is_old = side == &before_;
    side->Burn({"Shop.Sell", "Shop.Register.Add"}, is_old ? 20 : 60);
    side->Burn({"Shop.Count", "Shop.Tally.Add"}, 20);
    side->Wait({"Shop.Sell", "Shop.Register.Add"}, 100, is_old ? 200'000 : 6'000'000);
    side->Wait({"Shop.Count", "Shop.Tally.Add"}, 20, is_old ? 100'000 : 2'800'000);
  }
  EXPECT_EQ(OnlyTitle(),
            "Shop.Register.Add: 30.0 times the waiting for a monitor: 0.020 -> 0.60 threads");
}

// In the first recording the compiler inlined it half-way through.
TEST_F(ComparisonTest, AWaitThatMovedIntoTheCallerIsNoDifference) {
  before_.Wait({"Shop.Sell", "Shop.Register.Add", "Shop.Register.Lock"}, 60, 1'000'000);
  before_.Wait({"Shop.Sell", "Shop.Register.Add"}, 40, 1'000'000);
  after_.Wait({"Shop.Sell", "Shop.Register.Add"}, 100, 1'000'000);
  EXPECT_TRUE(Compare().is_empty()) << VerdictOf(Compare());
  after_.Wait({"Shop.Sell", "Shop.Register.Add"}, 100, 1'000'000);
  EXPECT_EQ(OnlyTitle(),
            "Shop.Register.Add: 2.0 times the waiting for a monitor: 0.10 -> 0.20 threads");
}

// A lock that stops everything once: its waits come in one burst, so their rate may be chance.
TEST_F(ComparisonTest, ALockThatStopsEverythingIsAState) {
  for (Side* side : {&before_, &after_}) side->model().facts.locks_on = true;
  Waits& waits = after_.model().waits;
  after_.Wait({"Shop.Rates.Get"}, 1, 6 * Side::kSecond);
  waits.groups[0].count = 12;
  waits.groups[0].longest_ns = 6 * Side::kSecond;
  waits.groups[0].total_ns = 72 * Side::kSecond;
  waits.rows.resize(12);
  for (WaitRow& row : waits.rows) row.at_ns = 5 * Side::kSecond;
  const Comparison comparison = Compare();
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].signal, Signal::kLocks);
  EXPECT_EQ(comparison.differences[0].measure, "findings.count");
  EXPECT_EQ(comparison.differences[0].direction, Difference::Direction::kNew);
}

// It is a note there, as fewer wait for it. How much longer they wait may be chance.
TEST_F(ComparisonTest, ALockThatBothWaitForIsNoState) {
  before_.Wait({"Shop.Rates.Get"}, 1, 100'000'000);
  for (int64_t i = 0; i < 3; ++i) after_.Wait({"Shop.Rates.Get"}, 1, 6 * Side::kSecond);
  Waits& waits = after_.model().waits;
  for (WaitRow& row : waits.rows) row.at_ns = 5 * Side::kSecond;
  const auto is_state = [](const Difference& difference) {
    return difference.measure == "findings.count";
  };
  EXPECT_TRUE(std::ranges::none_of(Compare().differences, is_state));
  before_.model().waits = {};
  EXPECT_TRUE(std::ranges::any_of(Compare().differences, is_state));
}

TEST_F(ComparisonTest, AThreadThatIsBornWaitsForNoLockOfTheProgram) {
  for (Side* side : {&before_, &after_}) {
    side->Wait({}, 100, side == &before_ ? 100'000 : 5'000'000);
  }
  EXPECT_TRUE(Compare().is_empty());
}

}  // namespace
}  // namespace hindsight::analyzer
