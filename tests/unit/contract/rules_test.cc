#include "recorder/contract/rules.h"

#include <gtest/gtest.h>

#include "recorder/contract/options.h"

namespace hindsight::contract {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

Rule Parsed(std::string_view text) {
  Rule rule;
  EXPECT_EQ(ParseRule(text, rule), "") << text;
  return rule;
}

TEST(Rules, UnhandledMarksOrTakesAHeapSnapshot) {
  EXPECT_EQ(Parsed("unhandled:mark").subject, RuleSubject::kUnhandled);
  EXPECT_EQ(Parsed("unhandled:snapshot").action, RuleAction::kSnapshot);
  Rule rule;
  EXPECT_NE(ParseRule("unhandled:threads", rule).find("or take a heap snapshot"),
            std::string::npos);
  Options options;
  EXPECT_EQ(ParseOptions("when=unhandled:mark", options), "");
  EXPECT_NE(ParseOptions("sources=cpu;when=unhandled:mark", options), "");
}

TEST(Rules, EachConditionIsRead) {
  Rule rule = Parsed("memory>2GiB:snapshot");
  EXPECT_EQ(rule.subject, RuleSubject::kMemory);
  EXPECT_EQ(rule.limit, 2ull << 30);
  EXPECT_EQ(rule.action, RuleAction::kSnapshot);
  EXPECT_EQ(Parsed(" heap > 1.5 MiB : mark ").limit, 3u << 19);
  rule = Parsed("memory>80%:snapshot");
  EXPECT_EQ(rule.subject, RuleSubject::kMemory);
  EXPECT_EQ(rule.limit_percent, 80u);
  rule = Parsed("cpu>90%/30s:threads");
  EXPECT_EQ(rule.subject, RuleSubject::kCpu);
  EXPECT_EQ(rule.limit, 900'000'000u);
  EXPECT_EQ(rule.for_ns, 30 * kSecond);
  EXPECT_EQ(rule.action, RuleAction::kThreads);
  EXPECT_EQ(Parsed("cpu>350%:mark").for_ns, 10 * kSecond);
  rule = Parsed("exceptions/s>200:mark");
  EXPECT_EQ(rule.subject, RuleSubject::kExceptions);
  EXPECT_EQ(rule.limit, 200u);
  EXPECT_EQ(rule.for_ns, 5 * kSecond);
  EXPECT_EQ(Parsed("pool.starves:snapshot").subject, RuleSubject::kPoolStarves);
}

TEST(Rules, WhatIsNoneSaysWhy) {
  Rule rule;
  for (const char* text : {"",
                           ":",
                           "memory>1GiB",
                           "memory>1GiB:",
                           "memory>1GiB:dump",
                           "memory:mark",
                           "memory<1GiB:mark",
                           "memory>1:mark",
                           "memory>x:mark",
                           "memory>0%:mark",
                           "memory>100%:mark",
                           "memory>80.5%:mark",
                           "heap>80%:mark",
                           "cpu>90:mark",
                           "cpu>0%:mark",
                           "cpu>-1%:mark",
                           "cpu>90%/0s:mark",
                           "cpu>90%/11m:mark",
                           "cpu>90%/:mark",
                           "exceptions/s>0:mark",
                           "exceptions/s>1e3:mark",
                           "exceptions>5:mark",
                           "pool:mark",
                           "unhandled:threads",
                           "cpu>99999999999999999999%:mark"}) {
    EXPECT_NE(ParseRule(text, rule), "") << text;
  }
  EXPECT_EQ(rule.text, "");
}

TEST(Rules, OptionsHaveSeveralAndWriteThemBack) {
  const std::string text =
      "when=memory>2GiB:snapshot;when=pool.starves:threads;rules.every=30s;rules.most=2";
  Options options;
  ASSERT_EQ(ParseOptions(text, options), "");
  ASSERT_EQ(options.rules.size(), 2u);
  EXPECT_EQ(options.rules_every_ns, 30 * kSecond);
  EXPECT_EQ(options.rules_most, 2u);
  EXPECT_EQ(FormatOptions(options), text);
}

TEST(Rules, OneThatCanNeverHoldIsRefused) {
  Options options;
  EXPECT_NE(ParseOptions("sources=cpu;when=exceptions/s>5:mark", options).find("exceptions"),
            std::string::npos);
  EXPECT_NE(ParseOptions("sources=cpu;when=pool.starves:mark", options), "");
  EXPECT_NE(ParseOptions("sources=cpu;when=heap>1GiB:mark", options), "");
  EXPECT_NE(ParseOptions("sources=cpu;when=cpu>5%:threads", options), "");
  EXPECT_EQ(ParseOptions("sources=cpu;when=cpu>5%:snapshot", options), "");
  std::string many;
  for (int i = 0; i < 9; ++i) many += "when=pool.starves:mark;";
  EXPECT_NE(ParseOptions(many, options).find("at most 8"), std::string::npos);
  EXPECT_NE(ParseOptions("rules.most=0", options), "");
  EXPECT_NE(ParseOptions("rules.every=1ms", options), "");
}

}  // namespace
}  // namespace hindsight::contract
