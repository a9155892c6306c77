#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_descriptions.h"
#include "tests/support/profile_scene.h"

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
  GarbageCollections facts;
  // One of gen1, a background one that begins in the same pause, and one of gen0 inside that.
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
  model.collections.rows = {Collection(101, 300, 2), Collection(501, 2, 0), Collection(601, 10, 2)};
  model.collections.rows[0].reason = model.collections.rows[2].reason = 4;
  model.collections.pauses = {Stop(100, 302), Stop(500, 3), Stop(600, 12)};
  const GcReport report = AnalyzeGc(model, {});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].kind, GcFinding::Kind::kBlockingGen2);
  EXPECT_EQ(report.findings[0].severity, GcFinding::Severity::kBad);
  EXPECT_EQ(report.findings[0].reason, 4);
  EXPECT_FALSE(report.is_healthy());
}

// Each call has its stack; frames of GC and of the framework are not places.
TEST(GcReport, WhoCalledForCollectionsIsTheMethodOfYours) {
  testing::ProfileScene scene;
  Model& model = scene.model();
  model.facts.last_ns = 1000 * kMs;
  model.collections.rows = {Collection(101, 30, 2), Collection(301, 30, 2), Collection(501, 30, 2)};
  for (CollectionRow& row : model.collections.rows) row.induced = true;
  const auto stack = [&](const std::vector<std::string>& outermost_first) {
    StackId id = 0;
    for (const std::string& method : outermost_first) {
      id = model.dictionaries.AddStack(id, scene.Method(method));
    }
    return id;
  };
  const StackId tidy =
      stack({"Shop.Program.Main", "Shop.Images.Tidy", "System.GC.Collect", "System.GC._Collect"});
  const StackId pressure = stack({"Shop.Program.Main", "Shop.Native.Take", "System.Handles.Track",
                                  "System.GC.AddMemoryPressure", "System.GC.Collect"});
  model.collections.calls = {{100 * kMs, tidy}, {300 * kMs, tidy}, {500 * kMs, pressure}};
  const GcReport report = AnalyzeGc(model, {});
  ASSERT_EQ(report.collect_callers.size(), 2u);
  EXPECT_EQ(CollectCallersText(report),
            "Called by Shop.Images.Tidy (2 times) and Shop.Native.Take (1 time).");
  GcQuery query;
  query.from_ns = 400 * kMs;
  EXPECT_EQ(CollectCallersText(AnalyzeGc(model, query)), "Called by Shop.Native.Take (1 time).");
}

TEST(GcReport, ASinglePauseIsANote) {
  Model model;
  model.facts.last_ns = 1000 * kMs;
  model.collections.rows = {Collection(101, 300, 2)};
  model.collections.pauses = {Stop(100, 302)};
  EXPECT_EQ(AnalyzeGc(model, {}).findings.at(0).severity, GcFinding::Severity::kNote);
  model.collections.rows.push_back(Collection(501, 1, 2));
  model.collections.pauses.push_back(Stop(500, 2));
  EXPECT_EQ(AnalyzeGc(model, {}).findings.at(0).severity, GcFinding::Severity::kBad);
}

constexpr uint64_t kPeriod = 10 * kMs;

// Two young collections with pauses of `pause_ms`, during which `samples` of the CPU time were
// taken.
Model TwoPauses(uint64_t pause_ms, int samples, int64_t last_ms) {
  Model model;
  model.facts.last_ns = last_ms * kMs;
  model.samples.cpu.period_ns = kPeriod;
  model.samples.cpu.samples.push_back({});  // long before them
  for (const int64_t at_ms : {100, 700}) {
    model.collections.rows.push_back(Collection(at_ms, pause_ms, 1));
    model.collections.pauses.push_back(Stop(at_ms, pause_ms));
    for (int i = 0; i < samples; ++i) {
      CpuSample sample;
      sample.at_ns = at_ms * kMs + i;
      sample.cpu_ns = kPeriod;
      model.samples.cpu.samples.push_back(sample);
    }
  }
  return model;
}

TEST(GcReport, APauseWithoutAProcessorIsNotTheCollectors) {
  const Model busy = TwoPauses(400, 20, 1'000'000);  // half of the time on a processor
  const GcReport bad = AnalyzeGc(busy, {});
  ASSERT_EQ(bad.findings.size(), 1u);
  EXPECT_EQ(bad.findings[0].severity, GcFinding::Severity::kBad);
  // Less: the CPU time counts, 2 % of which is at least 380 ms, and no pause is bad by itself.
  const Model enough = TwoPauses(400, 19, 19'000);
  const GcReport charged = AnalyzeGc(enough, {});
  ASSERT_EQ(charged.findings.size(), 1u);
  EXPECT_EQ(charged.findings[0].severity, GcFinding::Severity::kWarning);
  EXPECT_EQ(charged.findings[0].cost_ns, 800u * kMs);
  const Model starved = TwoPauses(400, 19, 19'001);
  EXPECT_TRUE(AnalyzeGc(starved, {}).findings.empty());
  Model unknown = TwoPauses(400, 0, 1'000'000);
  unknown.samples.cpu.samples.clear();
  EXPECT_EQ(AnalyzeGc(unknown, {}).findings.at(0).severity, GcFinding::Severity::kBad);
}

TEST(GcReport, FewSamplesDoNotShowWhetherThereWasAProcessor) {
  const Model few = TwoPauses(24, 0, 2000);  // 48 ms: less than five periods
  EXPECT_EQ(AnalyzeGc(few, {}).findings.size(), 1u);
  const Model enough = TwoPauses(25, 0, 2000);
  EXPECT_TRUE(AnalyzeGc(enough, {}).findings.empty());
}

TEST(GcReport, ASlowStopIsReportedOnce) {
  Model model = TwoPauses(300, 30, 100'000);
  for (SuspensionRow& pause : model.collections.pauses) pause.stopping_ns = 290 * kMs;
  GcReport report = AnalyzeGc(model, {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, GcFinding::Kind::kSlowStops);
  EXPECT_EQ(report.findings[0].cost_ns, 580u * kMs);
  for (SuspensionRow& pause : model.collections.pauses) pause.stopping_ns = 10 * kMs - 1;
  report = AnalyzeGc(model, {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, GcFinding::Kind::kYoungCollections);
}

// Whether full collections that leave this many MiB are reported as a growing heap.
bool Grows(const std::vector<uint64_t>& mib) {
  Model model;
  model.facts.last_ns = 100'000 * kMs;
  for (size_t i = 0; i < mib.size(); ++i) {
    CollectionRow row = Collection(static_cast<int64_t>(1000 * (i + 1)), 1, 2);
    row.detailed = true;
    row.generations[2].after_bytes = mib[i] << 20;
    model.collections.rows.push_back(row);
  }
  const GcReport report = AnalyzeGc(model, {});
  return std::any_of(report.findings.begin(), report.findings.end(), [](const GcFinding& finding) {
    return finding.kind == GcFinding::Kind::kHeapGrows;
  });
}

TEST(GcReport, AHeapGrowsByMuchAndToTheEnd) {
  EXPECT_TRUE(Grows({10, 20, 30, 42}));
  EXPECT_FALSE(Grows({10, 20, 30, 41}));     // a warm-up
  EXPECT_FALSE(Grows({10, 42}));             // two are not a series
  EXPECT_TRUE(Grows({200, 210, 220, 240}));  // a fifth
  EXPECT_FALSE(Grows({201, 210, 220, 240}));
  EXPECT_TRUE(Grows({10, 40, 80, 100, 110, 130}));  // a quarter of it in the later half
  EXPECT_FALSE(Grows({10, 40, 80, 101, 110, 130}));
}

// They report only what they left alive.
TEST(GcReport, BackgroundCollectionsShowHowTheHeapGrows) {
  Model model;
  model.facts.last_ns = 100'000 * kMs;
  for (const uint64_t mib : {10, 20, 30, 42}) {
    CollectionRow row =
        Collection(static_cast<int64_t>(1000 * (model.collections.rows.size() + 1)), 1, 2);
    row.detailed = true;
    row.type = CollectionType::kBackground;
    row.promoted_bytes = mib << 20;
    model.collections.rows.push_back(row);
  }
  const GcReport report = AnalyzeGc(model, {});
  EXPECT_TRUE(std::ranges::any_of(report.findings, [](const GcFinding& finding) {
    return finding.kind == GcFinding::Kind::kHeapGrows;
  }));
  EXPECT_EQ(report.last_heap_bytes, uint64_t{42} << 20);
  model.collections.rows.back().generation = 1;  // says little of the heap
  EXPECT_EQ(AnalyzeGc(model, {}).last_heap_bytes, uint64_t{30} << 20);
}

TEST(GcReport, HandlesOfUnknownKindsAreANote) {
  Model model;
  model.facts.last_ns = 100'000 * kMs;
  for (const uint32_t handles : {1000u, 10'000u}) {
    CollectionRow row = Collection(handles, 1, 2);
    row.detailed = true;
    row.handles = handles;
    model.collections.rows.push_back(row);
  }
  const GcReport report = AnalyzeGc(model, {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, GcFinding::Kind::kHandles);
  EXPECT_EQ(report.findings[0].severity, GcFinding::Severity::kNote);
  model.collections.rows[1].handles = 9999;
  EXPECT_TRUE(AnalyzeGc(model, {}).findings.empty());
}

// The runtime's sampler, many times over: the truth is within the stated error as often as
// promised.
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

}  // namespace
}  // namespace hindsight::analyzer
