// The thresholds of GcRules, each at its edge.
#include "analyzer/analyses/gc/gc_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_descriptions.h"

namespace hindsight::analyzer {
namespace {

class GcRulesTest : public ::testing::Test {
 protected:
  using Kind = GcFinding::Kind;
  using Severity = GcFinding::Severity;

  static constexpr int64_t kMs = 1'000'000;

  GcRulesTest() { model_.facts.last_ns = 100'000 * kMs; }

  CollectionRow& Collect(uint32_t generation, int32_t reason, CollectionType type) {
    CollectionRow row;
    row.at_ns = (static_cast<int64_t>(model_.collections.rows.size()) + 1) * 10 * kMs;
    row.generation = generation;
    row.reason = reason;
    row.type = type;
    row.detailed = true;
    return model_.collections.rows.emplace_back(row);
  }
  // A young collection, all of it a pause.
  void Pause(uint64_t ns) {
    CollectionRow& row = Collect(0, 0, CollectionType::kBlocking);
    row.at_ns = static_cast<int64_t>(model_.collections.pauses.size()) * 250 * kMs;
    row.duration_ns = ns;
    model_.collections.pauses.push_back({.at_ns = row.at_ns, .total_ns = ns, .reason = 1});
  }
  void Pauses(size_t count, uint64_t each_ns) {
    model_.collections = {};
    for (size_t i = 0; i < count; ++i) Pause(each_ns);
  }

  // The severity of the finding of that kind; none if there is no such finding.
  std::optional<Severity> Of(Kind kind) const {
    const GcReport report = AnalyzeGc(model_, {});
    const auto found = std::ranges::find(report.findings, kind, &GcFinding::kind);
    return found == report.findings.end() ? std::nullopt : std::optional(found->severity);
  }
  std::optional<Severity> OfPauses() const { return Of(Kind::kYoungCollections); }

  const GcRules rules_;
  Model model_;
};

TEST_F(GcRulesTest, PausesAreJudgedByTheirShareOfTheTime) {
  const auto each = [this](double share, size_t count) {
    return static_cast<uint64_t>(share * static_cast<double>(model_.facts.last_ns) /
                                 static_cast<double>(count));
  };
  Pauses(400, each(rules_.notable_share, 400) - 1);
  EXPECT_EQ(OfPauses(), std::nullopt);
  Pauses(400, each(rules_.notable_share, 400));
  EXPECT_EQ(OfPauses(), Severity::kWarning);
  Pauses(400, each(rules_.bad_share, 400) - 1);
  EXPECT_EQ(OfPauses(), Severity::kWarning);
  Pauses(400, each(rules_.bad_share, 400));
  EXPECT_EQ(OfPauses(), Severity::kBad);
}

// "Healthy" despite much time in pauses says why.
TEST_F(GcRulesTest, AVerdictOfHealthyReportsWhyNotablePausesAreNoProblem) {
  using std::string_view_literals::operator""sv;
  const auto is_reported = [this](PausesExcuse excuse, std::string_view words) {
    const GcReport report = AnalyzeGc(model_, {});
    EXPECT_TRUE(report.is_healthy());
    EXPECT_EQ(report.excuse, excuse);
    EXPECT_TRUE(GcVerdict(report).ends_with(words)) << GcVerdict(report);
  };
  const uint64_t notable_ns =
      static_cast<uint64_t>(rules_.notable_share * static_cast<double>(model_.facts.last_ns));
  Pauses(1, notable_ns - 1);
  is_reported(PausesExcuse::kNone, "of the time, and the longest 2.00 s."sv);
  Pauses(1, notable_ns);
  is_reported(PausesExcuse::kFew, "too few to be a problem."sv);

  // Each of two causes takes less than notable time.
  Pauses(40, notable_ns / 60);
  for (size_t i = 0; i < 40; ++i) {
    Pause(notable_ns / 60);
    model_.collections.rows.back().generation = 2;
    model_.collections.rows.back().reason = 2;
  }
  is_reported(PausesExcuse::kSeveralCauses, "none of which takes much of the time."sv);

  // No collection is known.
  Pauses(40, notable_ns / 20);
  EXPECT_FALSE(AnalyzeGc(model_, {}).is_healthy());
  model_.collections.rows.clear();
  is_reported(PausesExcuse::kNotRecorded, "what they were for was not recorded."sv);

  // For most of the time the process had no processor.
  Pauses(40, notable_ns / 20);
  auto& cpu = model_.samples.cpu;
  cpu.period_ns = 1'000'000;
  for (const SuspensionRow& pause : model_.collections.pauses) {
    cpu.samples.push_back({.at_ns = pause.at_ns, .cpu_ns = 5'000'000});
  }
  is_reported(PausesExcuse::kNoProcessor,
              "meanwhile the process used 200.0 ms of the processors."sv);
}

TEST_F(GcRulesTest, CollectionsThatTheCodeAsksForAreJudgedByHowMany) {
  const auto induced = [this](double seconds, uint64_t count) {
    model_.facts.last_ns = static_cast<int64_t>(seconds * 1000) * kMs;
    model_.collections = {};
    for (uint64_t i = 0; i < count; ++i) {
      Collect(2, 0, CollectionType::kBlocking).induced = true;
    }
    return Of(Kind::kInduced);
  };
  const double few_seconds = 1;
  EXPECT_EQ(induced(few_seconds, rules_.induced_collections - 1), Severity::kNote);
  EXPECT_EQ(induced(few_seconds, rules_.induced_collections), Severity::kWarning);
  const double per_second = rules_.induced_collections_per_second;
  EXPECT_EQ(induced(99 / per_second, 100), Severity::kWarning);
  EXPECT_EQ(induced(101 / per_second, 100), Severity::kNote);
}

TEST_F(GcRulesTest, PausesAreJudgedByTheLongestOne) {
  Pauses(2, rules_.notable_pause_ns - 1);
  EXPECT_EQ(OfPauses(), std::nullopt);
  Pauses(2, rules_.notable_pause_ns);
  EXPECT_EQ(OfPauses(), Severity::kWarning);
  Pauses(2, rules_.bad_pause_ns - 1);
  EXPECT_EQ(OfPauses(), Severity::kWarning);
  Pauses(2, rules_.bad_pause_ns);
  EXPECT_EQ(OfPauses(), Severity::kBad);
  Pauses(rules_.min_pauses - 1, rules_.bad_pause_ns);
  EXPECT_EQ(OfPauses(), std::nullopt);
}

TEST_F(GcRulesTest, StopsAreSlowFromTheirRuleOn) {
  Pauses(2, rules_.bad_pause_ns);
  const auto stopping = [this](uint64_t ns) {
    for (SuspensionRow& pause : model_.collections.pauses) pause.stopping_ns = ns;
    return Of(Kind::kSlowStops).has_value();
  };
  EXPECT_FALSE(stopping(rules_.slow_stop_ns - 1));
  EXPECT_TRUE(stopping(rules_.slow_stop_ns));
}

TEST_F(GcRulesTest, ManyFullCollectionsForSmallObjectsAreAMidLifeCrisis) {
  const auto is_one = [this](uint64_t full, uint64_t all) {
    model_.collections = {};
    for (uint64_t i = 0; i < all; ++i) {
      Collect(i < full ? 2 : 0, 0, CollectionType::kBlocking);
    }
    return Of(Kind::kMidLife).has_value();
  };
  const uint64_t many = rules_.mid_life_collections, one_of = rules_.mid_life_one_of;
  EXPECT_FALSE(is_one(many - 1, many - 1));
  EXPECT_TRUE(is_one(many, many * one_of));
  EXPECT_FALSE(is_one(many, many * one_of + 1));
}

TEST_F(GcRulesTest, LargeObjectsAreReportedFromSoManyCollectionsOn) {
  constexpr int32_t kAllocatedLarge = 4;
  for (uint64_t i = 1; i < rules_.large_object_collections; ++i) {
    Collect(2, kAllocatedLarge, CollectionType::kBackground);
  }
  EXPECT_EQ(Of(Kind::kLargeObjects), std::nullopt);
  Collect(2, kAllocatedLarge, CollectionType::kBackground);
  EXPECT_EQ(Of(Kind::kLargeObjects), Severity::kNote);
  // This many per second are a warning.
  const auto seconds_ns =
      static_cast<int64_t>(static_cast<double>(rules_.large_object_collections) /
                           rules_.large_object_collections_per_second * 1e9);
  model_.facts.last_ns = seconds_ns;
  EXPECT_EQ(Of(Kind::kLargeObjects), Severity::kWarning);
  model_.facts.last_ns = seconds_ns + 1;
  EXPECT_EQ(Of(Kind::kLargeObjects), Severity::kNote);
}

TEST_F(GcRulesTest, FreeSpaceIsFragmentationFromItsBytesAndItsShareOn) {
  const auto is_one = [this](uint64_t free_bytes, uint64_t bytes) {
    model_.collections = {};
    GenerationChange& change = Collect(2, 0, CollectionType::kBlocking).generations[2];
    change.known = true;
    change.free_after_bytes = free_bytes;
    change.after_bytes = bytes;
    return Of(Kind::kFragmentation).has_value();
  };
  const uint64_t much = rules_.much_memory;
  EXPECT_TRUE(is_one(much, much));
  EXPECT_FALSE(is_one(much - 1, much));
  const auto all = static_cast<uint64_t>(static_cast<double>(much) / rules_.fragmented_share);
  EXPECT_TRUE(is_one(much, all));
  EXPECT_FALSE(is_one(much, all + 3));
}

TEST_F(GcRulesTest, AHeapThatGrowsRisesMostTimes) {
  const auto grows = [this](const std::vector<uint64_t>& mib) {
    model_.collections = {};
    for (const uint64_t bytes : mib) {
      Collect(2, 0, CollectionType::kBlocking).generations[2].after_bytes = bytes << 20;
    }
    return Of(Kind::kHeapGrows).has_value();
  };
  EXPECT_EQ(rules_.rises_of_three, 2u);
  EXPECT_TRUE(grows({10, 5, 30, 60}));
  EXPECT_FALSE(grows({10, 5, 4, 60}));
}

TEST_F(GcRulesTest, AHeapThatGrowsIsANoteUntilTheProcessIsGrownUp) {
  for (const uint64_t bytes : {10, 40, 80}) {
    Collect(2, 0, CollectionType::kBlocking).generations[2].after_bytes = bytes << 20;
  }
  EXPECT_EQ(Of(Kind::kHeapGrows), Severity::kNote);
  model_.facts.last_ns = 2 * rules_.grown_up_ns;
  CollectionRow& last = model_.collections.rows.back();
  last.at_ns = rules_.grown_up_ns - 1;
  EXPECT_EQ(Of(Kind::kHeapGrows), Severity::kNote);
  last.at_ns = rules_.grown_up_ns;
  EXPECT_EQ(Of(Kind::kHeapGrows), Severity::kWarning);
  // Attached late.
  last.at_ns = kMs * 1000;
  model_.facts.started_unix_ns = uint64_t{1} << 60;
  const uint64_t age = static_cast<uint64_t>(rules_.grown_up_ns - last.at_ns);
  model_.facts.process_started_unix_ns = model_.facts.started_unix_ns - age + 1;
  EXPECT_EQ(Of(Kind::kHeapGrows), Severity::kNote);
  model_.facts.process_started_unix_ns = model_.facts.started_unix_ns - age;
  EXPECT_EQ(Of(Kind::kHeapGrows), Severity::kWarning);
}

TEST_F(GcRulesTest, CountersAreReportedFromTheirRulesOn) {
  const auto reported = [this](Kind kind, const std::function<void(CollectionRow&)>& set) {
    model_.collections = {};
    set(Collect(2, 0, CollectionType::kBlocking));
    return Of(kind).has_value();
  };
  for (const uint64_t less : {1, 0}) {
    EXPECT_EQ(reported(Kind::kPinned,
                       [&](CollectionRow& row) { row.pinned_objects = rules_.many_pinned - less; }),
              less == 0);
    EXPECT_EQ(reported(Kind::kFinalizers,
                       [&](CollectionRow& row) {
                         row.finalizable_promoted = rules_.many_finalizable - less;
                       }),
              less == 0);
    EXPECT_EQ(reported(Kind::kMemoryLoad,
                       [&](CollectionRow& row) {
                         row.memory_load_percent =
                             rules_.high_memory_load - static_cast<uint32_t>(less);
                       }),
              less == 0);
  }
}

TEST_F(GcRulesTest, HandlesGrowByMoreThanAFactor) {
  const auto reported = [this](uint64_t first, uint64_t last) {
    model_.collections = {};
    Collect(2, 0, CollectionType::kBlocking).handles = first;
    Collect(2, 0, CollectionType::kBlocking).handles = last;
    return Of(Kind::kHandles).has_value();
  };
  const uint64_t many = rules_.many_handles, factor = rules_.handles_factor;
  EXPECT_FALSE(reported(many / factor, many));
  EXPECT_TRUE(reported(many / factor - 1, many));
  EXPECT_FALSE(reported(1, many - 1));
}

}  // namespace
}  // namespace hindsight::analyzer
