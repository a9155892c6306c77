#include "analyzer/analyses/timeline.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace hindsight::analyzer {
namespace {

// Ten parts of 10 ms.
Model TenParts() {
  Model model;
  model.facts.last_ns = 100'000'000;
  return model;
}

TEST(Timeline, SpreadsWhatLasts) {
  Model model = TenParts();
  model.collections.pauses = {{.at_ns = 45'000'000, .total_ns = 10'000'000, .reason = 1}};
  const Timeline timeline = BuildTimeline(model, {.parts = 10});
  ASSERT_EQ(timeline.series.size(), 1u);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[4], 0.5);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[5], 0.5);
  ASSERT_EQ(timeline.marks.size(), 1u);
  EXPECT_EQ(timeline.marks[0].at_ns, 45'000'000);
}

// Two in each part, except for one that has four: 1.82 times the mean.
TEST(Timeline, APeakIsMarkedFromAMultipleOfTheMeanOn) {
  Model model = TenParts();
  for (int64_t part = 0; part < 10; ++part) {
    for (int64_t i = 0; i < (part == 3 ? 4 : 2); ++i) {
      CpuSample sample;
      sample.at_ns = part * 10'000'000 + i;
      sample.cpu_ns = 1'000'000;
      model.samples.cpu.samples.push_back(sample);
    }
  }
  TimelineRules rules;
  rules.stands_out = 4 / 2.2 * 0.999;
  const Timeline marked = BuildTimeline(model, {.parts = 10}, rules);
  ASSERT_EQ(marked.marks.size(), 1u);
  EXPECT_EQ(marked.marks[0].kind, TimelineMark::Kind::kMostCpu);
  EXPECT_EQ(marked.marks[0].at_ns, 30'000'000);
  rules.stands_out = 4 / 2.2 * 1.001;
  EXPECT_TRUE(BuildTimeline(model, {.parts = 10}, rules).marks.empty());
}

// However high the rate of a few is in a short part.
TEST(Timeline, AFewExceptionsAreNoMoment) {
  TimelineRules rules;
  rules.min_exceptions = 5;
  for (const uint64_t count : {4u, 6u}) {
    Model model = TenParts();
    ExceptionGroup group;
    group.first_ns = group.last_ns = 42'000'000;
    for (uint64_t i = 0; i < count; ++i) group.times.Add(42'000'000, 1);
    model.exceptions.groups.push_back(group);
    const Timeline timeline = BuildTimeline(model, {.parts = 10}, rules);
    ASSERT_EQ(timeline.series.size(), 1u);
    EXPECT_EQ(timeline.marks.size(), count < 5 ? 0u : 1u) << count;
  }
}

}  // namespace
}  // namespace hindsight::analyzer
