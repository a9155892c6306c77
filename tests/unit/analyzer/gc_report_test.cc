#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/timeline.h"

namespace hindsight::analyzer {
namespace {

constexpr int64_t kMs = 1'000'000;

SuspensionRow Stop(int64_t at_ms, uint64_t total_ms, uint32_t reason = 1) {
  return {.at_ns = at_ms * kMs, .stopping_ns = 1000, .total_ns = total_ms * kMs, .reason = reason};
}

CollectionRow Collection(int64_t at_ms, uint64_t duration_ms, uint32_t generation,
                         CollectionType type = CollectionType::kBlocking) {
  CollectionRow row;
  row.at_ns = at_ms * kMs;
  row.duration_ns = duration_ms * kMs;
  row.generation = generation;
  row.type = type;
  return row;
}

TEST(GcPauses, BelongToTheCollectionThatFillsThem) {
  CollectionFacts facts;
  // One of gen1, a background one that begins in the same pause, one of gen0 inside it.
  facts.rows = {Collection(101, 6, 1), Collection(108, 500, 2, CollectionType::kBackground),
                Collection(301, 3, 0)};
  facts.pauses = {Stop(100, 9), Stop(200, 1, 9), Stop(300, 5), Stop(600, 2, 7), Stop(900, 1)};
  const std::vector<Pause> pauses = FindPauses(facts, 0, 1000 * kMs);
  ASSERT_EQ(pauses.size(), 5u);
  EXPECT_EQ(pauses[0].kind, PauseKind::kGen1);
  EXPECT_EQ(pauses[1].kind, PauseKind::kThreadSnapshot);
  EXPECT_EQ(pauses[2].kind, PauseKind::kGen0);
  EXPECT_EQ(pauses[3].kind, PauseKind::kGen2Background);
  EXPECT_EQ(pauses[4].kind, PauseKind::kUnknownCollection);
  EXPECT_EQ(FindPauses(facts, 250 * kMs, 301 * kMs).size(), 1u);
}

TEST(GcReport, IsHealthyWithFewShortPauses) {
  Model model;
  model.facts.last_ns = 10'000 * kMs;
  model.collections.rows = {Collection(101, 2, 0)};
  model.collections.pauses = {Stop(100, 3)};
  const GcReport report = AnalyzeGc(model, {});
  EXPECT_TRUE(report.is_healthy());
  EXPECT_EQ(report.all.total_ns, 3u * kMs);
  EXPECT_EQ(report.counts[0], 1u);
}

TEST(GcReport, NamesBlockingFullCollectionsFirst) {
  Model model;
  model.facts.last_ns = 1000 * kMs;
  model.collections.rows = {Collection(101, 300, 2), Collection(501, 2, 0)};
  model.collections.rows[0].reason = 4;
  model.collections.pauses = {Stop(100, 302), Stop(500, 3)};
  const GcReport report = AnalyzeGc(model, {});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, GcFinding::Kind::kBlockingGen2);
  EXPECT_EQ(report.findings[0].severity, GcFinding::Severity::kBad);
  EXPECT_EQ(report.findings[0].reason, 4);
  EXPECT_FALSE(report.is_healthy());
}

// The runtime's sampler, many times over: the truth is within the error stated as often as it says.
TEST(Allocations, HaveTheErrorThatIsStated) {
  constexpr double kMean = 102400;
  constexpr uint64_t kSize = 4096;
  constexpr int kObjects = 20'000;
  const double q = -std::expm1(kSize * std::log1p(-1 / kMean));
  uint64_t state = 42;
  const auto chance = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  };
  int within = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    Model model;
    model.samples.allocations.sampling = AllocationProfile::Sampling::kBytes;
    for (int i = 0; i < kObjects; ++i) {
      if (chance() >= q) continue;
      AllocationSample sample;
      sample.size = kSize;
      sample.objects = 1 / q;
      sample.bytes = kSize / q;
      model.samples.allocations.samples.push_back(sample);
    }
    const AllocationReport report = AnalyzeAllocations(model, {});
    const double truth = double{kSize} * kObjects;
    within += std::abs(report.whole.amount - truth) <= ErrorOf(report.whole);
  }
  EXPECT_GT(within, kRuns * 9 / 10);
}

TEST(Timeline, SpreadsWhatLasts) {
  Model model;
  model.facts.last_ns = 100 * kMs;
  model.collections.pauses = {Stop(45, 10)};
  const Timeline timeline = BuildTimeline(model, {.parts = 10});
  ASSERT_EQ(timeline.series.size(), 1u);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[4], 0.5);
  EXPECT_DOUBLE_EQ(timeline.series[0].values[5], 0.5);
  ASSERT_EQ(timeline.marks.size(), 1u);
  EXPECT_EQ(timeline.marks[0].at_ns, 45 * kMs);
}

}  // namespace
}  // namespace hindsight::analyzer
