#include "recorder/rule_watch.h"

#include <gtest/gtest.h>

#include <string>

namespace hindsight::recorder {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kMiB = 1u << 20;

class RuleWatchTest : public testing::Test {
 protected:
  void Rules(const std::string& text) {
    ASSERT_EQ(contract::ParseOptions(text, options_), "");
    watch_.emplace(options_);
  }
  // What fired, a second later.
  std::string Look() {
    facts_.now_ns += kSecond;
    std::string all;
    for (const RuleWatch::Fired& fired : watch_->Look(facts_)) {
      all += fired.what + (fired.is_last ? " (last)" : "") + ";";
    }
    return all;
  }

  contract::Options options_;
  std::optional<RuleWatch> watch_;
  RuleFacts facts_{.now_ns = 100 * kSecond};
};

TEST_F(RuleWatchTest, MemoryAboveItsLimitFires) {
  Rules("when=memory>100MiB:mark");
  EXPECT_EQ(Look(), "");  // not known
  facts_.memory_bytes = 100 * kMiB;
  EXPECT_EQ(Look(), "");
  facts_.memory_bytes += 1;
  EXPECT_EQ(Look(), "100.1 MiB of memory;");
}

TEST_F(RuleWatchTest, AShareOfTheMemoryLimitFires) {
  Rules("when=memory>80%:mark");
  facts_.memory_bytes = 900 * kMiB;
  EXPECT_EQ(Look(), "");  // about something unknown
  facts_.memory_limit_bytes = 1000 * kMiB;
  EXPECT_EQ(Look(), "900.0 MiB of memory, 90.0 % of 1000.0 MiB;");
  Rules("when=memory>80%:mark");
  facts_.memory_bytes = 800 * kMiB;
  EXPECT_EQ(Look(), "");
}

TEST_F(RuleWatchTest, ARuleRestsAndEnds) {
  Rules("when=heap>1MiB:snapshot;rules.every=3s;rules.most=2");
  facts_.heap_bytes = 5 * kMiB;
  EXPECT_EQ(Look(), "5.0 MiB of heap after a collection;");
  EXPECT_EQ(Look(), "");
  EXPECT_EQ(Look(), "");
  EXPECT_EQ(Look(), "5.0 MiB of heap after a collection (last);");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Look(), "");
}

TEST_F(RuleWatchTest, ARateHoldsOnceItsTimeWasSeen) {
  Rules("when=cpu>90%/3s:mark");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Look(), "") << i;
    facts_.cpu_ns += kSecond;
  }
  EXPECT_EQ(Look(), "100.0 % of a core over 3 s;");
}

TEST_F(RuleWatchTest, APeakThatTheTimeEvensOutIsNone) {
  Rules("when=cpu>90%/3s:mark");
  for (int i = 0; i < 20; ++i) {
    facts_.cpu_ns += i % 3 == 0 ? 2 * kSecond : 0;  // 67 % on average
    EXPECT_EQ(Look(), "") << i;
  }
}

TEST_F(RuleWatchTest, WhatWasLongAgoDoesNotCount) {
  Rules("when=exceptions/s>10/2s:mark");
  for (int i = 0; i < 60; ++i) EXPECT_EQ(Look(), "");
  facts_.throws += 21;
  EXPECT_EQ(Look(), "10.5 exceptions/s over 2 s;");
}

TEST_F(RuleWatchTest, EachNewStarvationIsOne) {
  Rules("when=pool.starves:mark;rules.every=1s");
  EXPECT_EQ(Look(), "");
  facts_.starvations = 1;
  EXPECT_EQ(Look(), "thread pool starvation;");
  EXPECT_EQ(Look(), "");
  facts_.starvations = 4;
  EXPECT_EQ(Look(), "thread pool starvation;");
}

TEST(RuleLimitTest, FalseAlarmsDoNotRestAndTheFirstDoNotCount) {
  contract::Options options;
  ASSERT_EQ(contract::ParseOptions("when=unhandled:mark;rules.every=3s;rules.most=2", options), "");
  RuleLimit limit;
  EXPECT_TRUE(limit.Fire(options, 1));
  EXPECT_FALSE(limit.Fire(options, 2));
  EXPECT_FALSE(limit.HasRested(3, 3));
  EXPECT_TRUE(limit.HasRested(2, 3));
  for (int i = 0; i < 5; ++i) {
    limit.FalseAlarm();
    EXPECT_TRUE(limit.Fire(options, 3));
    EXPECT_FALSE(limit.IsOver(options));
  }
  limit.FalseAlarm();
  EXPECT_TRUE(limit.Fire(options, 3));
  limit.FalseAlarm();
  EXPECT_FALSE(limit.Fire(options, 4));
}

}  // namespace
}  // namespace hindsight::recorder
