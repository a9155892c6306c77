// The thresholds of ExceptionRules, each at its edge.
#include <gtest/gtest.h>

#include <cstdint>

#include "analyzer/analyses/exceptions.h"

namespace hindsight::analyzer {
namespace {

TEST(ExceptionRules, WhatWasThrownSoonBeforeTheEndMayHaveEndedTheProcess) {
  Model model;
  model.facts.end = EndReason::kBrokeOff;
  model.facts.last_ns = 10'000'000'000;
  ExceptionGroup group;
  group.count = group.throws[0] = 1;
  group.endings[static_cast<size_t>(Ending::kInFlight)] = 1;
  model.exceptions.groups.push_back(group);
  const auto confidence = [&model](int64_t before_end_ns, const ExceptionRules& rules) {
    model.exceptions.open = {{.id = 1, .group = 1, .time_ns = model.facts.last_ns - before_end_ns}};
    const ExceptionReport report = AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX, rules);
    EXPECT_EQ(report.probably_unhandled, 1u);
    return report.findings.at(0).unhandled_evidence.confidence;
  };
  EXPECT_EQ(confidence(500, {.soon_ns = 500}), Confidence::kMedium);
  EXPECT_EQ(confidence(500, {.soon_ns = 499}), Confidence::kLow);
  const ExceptionRules rules;
  EXPECT_EQ(confidence(rules.soon_ns, {}), Confidence::kMedium);
  EXPECT_EQ(confidence(rules.soon_ns + 1, {}), Confidence::kLow);
}

TEST(ExceptionRules, WhatTheProcessOutlivedWasNotUnhandled) {
  Model model;
  ExceptionGroup group;
  group.count = group.throws[0] = 3;
  group.endings[static_cast<size_t>(Ending::kUnhandled)] = 1;
  group.endings[static_cast<size_t>(Ending::kSwallowed)] = 2;
  model.exceptions.groups.push_back(group);
  const auto unhandled = [&model](EndReason end) {
    model.facts.end = end;
    const ExceptionReport report = AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX);
    const ExceptionGroup& found = report.findings.at(0).group;
    EXPECT_EQ(found.EndedAs(Ending::kUnhandled) + found.EndedAs(Ending::kInFlight), 1u);
    EXPECT_EQ(report.endings[static_cast<size_t>(Ending::kUnhandled)],
              found.EndedAs(Ending::kUnhandled));
    return report.findings[0].is_unhandled();
  };
  EXPECT_FALSE(unhandled(EndReason::kStopped));
  EXPECT_FALSE(unhandled(EndReason::kDurationOver));
  EXPECT_TRUE(unhandled(EndReason::kProcessExit));
  EXPECT_TRUE(unhandled(EndReason::kBrokeOff));
}

// A recording that is read while it is written ends abruptly, like one of a killed process.
TEST(ExceptionRules, WhatAlwaysHadAHandlerHasEndedNoProcess) {
  Model model;
  model.facts.end = EndReason::kBrokeOff;
  model.facts.last_ns = 10'000'000'000;
  model.exceptions.open = {{.id = 1, .group = 1, .time_ns = model.facts.last_ns - 100}};
  model.exceptions.groups.resize(1);
  const ExceptionRules rules;
  const auto probably_unhandled = [&](uint64_t handled, uint64_t unhandled = 0) {
    ExceptionGroup& group = model.exceptions.groups[0];
    group.count = group.throws[0] = handled + unhandled + 1;
    group.endings = {};
    group.endings[static_cast<size_t>(Ending::kInFlight)] = 1;
    group.endings[static_cast<size_t>(Ending::kSwallowed)] = handled;
    group.endings[static_cast<size_t>(Ending::kUnhandled)] = unhandled;
    return AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX, rules).probably_unhandled;
  };
  EXPECT_EQ(probably_unhandled(rules.handled_before - 1), 1u);
  EXPECT_EQ(probably_unhandled(rules.handled_before), 0u);
  EXPECT_EQ(probably_unhandled(rules.handled_before, 1), 1u);
  model.exceptions.open[0].is_stored = true;
  EXPECT_EQ(probably_unhandled(0), 0u);
}

}  // namespace
}  // namespace hindsight::analyzer
