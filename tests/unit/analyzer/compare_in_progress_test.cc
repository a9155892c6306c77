// Requests that may take longer, or no longer end: how many are in progress.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>

#include "tests/unit/analyzer/comparison_sides.h"

namespace hindsight::analyzer {
namespace {

class CompareInProgressTest : public ComparisonTest {
 protected:
  ComparisonRules rules_;
};

// Of 480 requests in 24 s, those in progress have not ended: all of the time may be theirs.
TEST_F(CompareInProgressTest, ManyMoreInProgressMayBeADifference) {
  const auto compare = [&](double was, double is, uint64_t count = 480) {
    before_ = {}, after_ = {};
    for (auto [side, in_progress] : {std::pair(&before_, was), std::pair(&after_, is)}) {
      Requests& requests = side->model().requests;
      requests.finished = side == &before_ ? 480 : count;
      requests.total_ns = static_cast<uint64_t>(in_progress * 24e9);
      const auto open = static_cast<uint64_t>(std::ceil(in_progress));
      requests.started = requests.finished + open;
      for (int64_t i = 1; i <= 24; ++i) {
        requests.samples.push_back({.at_ns = i * Side::kSecond,
                                    .started = requests.finished / 24 + (i == 1 ? open : 0),
                                    .finished = requests.finished / 24,
                                    .total_ns = requests.total_ns / 24});
      }
    }
    const Comparison found = Compare(rules_);
    EXPECT_TRUE(found.differences.empty());
    return found.perhaps;
  };
  EXPECT_EQ(compare(0.4, 45), "Requests in progress, on average: 0.4 -> 45");
  EXPECT_EQ(compare(45, 0.4), "Requests in progress, on average: 45 -> 0.4");
  EXPECT_NE(compare(1, 1 + rules_.more_in_progress), "");
  EXPECT_EQ(compare(1, 0.9 + rules_.more_in_progress), "");
  EXPECT_NE(compare(20, 20 * rules_.in_progress_factor), "");
  EXPECT_EQ(compare(20, 19.9 * rules_.in_progress_factor), "");
  EXPECT_EQ(compare(0.4, 45, 480 * 2), "");  // another load
}

// Connections that stay open look the same.
TEST_F(CompareInProgressTest, RequestsThatNoLongerEndMayBeADifference) {
  for (Side* side : {&before_, &after_}) side->Burn({"Shop.Main", "Shop.A"}, 20);
  const auto serve = [](Side& side, int64_t seconds) {
    Requests& requests = side.model().requests;
    side.model().facts.requests_on = true;
    requests = {};
    for (int64_t i = 0; i < Side::kLength / Side::kSecond; ++i) {
      const uint64_t served = i < seconds ? 50 : 0;
      requests.samples.push_back({.at_ns = i * Side::kSecond,
                                  .started = served,
                                  .finished = served,
                                  .total_ns = uint64_t{20} * Side::kSecond});
      requests.started += served;
      requests.finished += served;
    }
  };
  serve(before_, 100);
  serve(after_, 5);
  EXPECT_EQ(Compare(rules_).perhaps, "No request ended for 19.00 s, while 20 were in progress");
  serve(after_, 100);
  EXPECT_EQ(Compare(rules_).perhaps, "");
  serve(before_, 5);
  EXPECT_EQ(Compare(rules_).perhaps,
            "No longer: No request ended for 19.00 s, while 20 were in progress");
}

}  // namespace
}  // namespace hindsight::analyzer
