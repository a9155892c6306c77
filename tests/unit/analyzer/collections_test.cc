#include <gtest/gtest.h>

#include <vector>

#include "analyzer/reader/collection_builder.h"
#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

CollectionRow Row(int64_t at_ns, uint64_t duration_ns) {
  CollectionRow row;
  row.at_ns = at_ns;
  row.duration_ns = duration_ns;
  return row;
}

SuspensionRow PauseRow(int64_t at_ns, uint64_t total_ns, uint32_t reason = 1) {
  return {.at_ns = at_ns, .total_ns = total_ns, .reason = reason};
}

TEST(Pauses, BelongToTheCollectionThatBeginsInThem) {
  std::vector<CollectionRow> rows = {Row(110, 50), Row(310, 20)};
  AttributePauses(rows, {PauseRow(100, 70), PauseRow(200, 30, 6), PauseRow(300, 40)});
  EXPECT_EQ(rows[0].pause_ns, 70u);
  EXPECT_EQ(rows[1].pause_ns, 40u);
}

TEST(Pauses, OfABackgroundCollectionAreNotThoseOfTheOnesInBetween) {
  // Begins with a blocking one, runs from 150 to 900, is interrupted by another, pauses once more.
  std::vector<CollectionRow> rows = {Row(110, 30), Row(150, 750), Row(410, 30)};
  AttributePauses(rows, {PauseRow(100, 60), PauseRow(400, 50), PauseRow(800, 20, 7)});
  EXPECT_EQ(rows[0].pause_ns, 50u);
  EXPECT_EQ(rows[1].pause_ns, 10u + 20u);
  EXPECT_EQ(rows[2].pause_ns, 50u);
}

TEST(Pauses, WithoutACollectionBelongToNone) {
  std::vector<CollectionRow> rows = {Row(100, 10)};
  AttributePauses(rows, {PauseRow(50, 10), PauseRow(500, 10)});
  EXPECT_EQ(rows[0].pause_ns, 0u);
}

TEST(Collections, AreReadWithWhatTheRuntimeReported) {
  const auto model = testing::ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "gc" } }
    packet { time_delta_ns: 500 garbage_collection { number: 2 generation: 2 induced: true
             duration_ns: 100 runtime_number: 9 reason: 2 type: BACKGROUND
             sizes { generation: 3 before_bytes: 70 after_bytes: 60 promoted_bytes: 50
                     free_before_bytes: 4 free_after_bytes: 3 }
             sizes { generation: 9 } promoted_bytes: 50 pinned_objects: 1 compacting: true } }
    packet { time_delta_ns: -10 suspension { reason: 1 stopping_ns: 5 total_ns: 40 } }
    packet { time_delta_ns: -300 garbage_collection { number: 1 duration_ns: 7 } })");
  EXPECT_TRUE(model->facts.gc_on);
  EXPECT_FALSE(model->facts.cpu_on);
  const GarbageCollections& facts = model->collections;
  ASSERT_EQ(facts.rows.size(), 2u);
  EXPECT_EQ(facts.rows[0].number, 1u);
  EXPECT_FALSE(facts.rows[0].detailed);
  EXPECT_EQ(facts.rows[0].reason, -1);
  const CollectionRow& row = facts.rows[1];
  EXPECT_EQ(row.at_ns, 500);
  EXPECT_EQ(row.pause_ns, 40u);
  EXPECT_TRUE(row.detailed && row.induced && row.compacting);
  EXPECT_EQ(row.reason, 1);
  EXPECT_EQ(row.type, CollectionType::kBackground);
  EXPECT_FALSE(row.generations[2].known);
  EXPECT_EQ(row.generations[3].after_bytes, 60u);
  EXPECT_EQ(row.generations[3].free_before_bytes, 4u);
}

TEST(Collections, CallsForThemAreReadWithTheirStacks) {
  const auto model = testing::ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000000 } }
    packet { process { recording_started_monotonic_ns: 1000000 source: "gc" } }
    packet { string { id: 1 value: "Tidy" } }
    packet { method { id: 1 name: 1 } }
    packet { frame { id: 1 method: 1 } }
    packet { stack { id: 1 frame: 1 } }
    packet { time_delta_ns: 500 collect_call { thread: 1 stack: 1 reason: 2 } }
    packet { time_delta_ns: -300 collect_call { thread: 1 reason: 2 } })");
  const std::vector<CollectCall>& calls = model->collections.calls;
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].at_ns, 200);
  EXPECT_EQ(calls[0].stack, 0u);
  const std::vector<MethodId> path = model->dictionaries.Path(calls[1].stack);
  ASSERT_EQ(path.size(), 1u);
  EXPECT_EQ(model->dictionaries.String(model->dictionaries.method(path[0]).name), "Tidy");
}

TEST(Collections, BeyondTheLimitTheShortestGo) {
  GarbageCollections facts;
  CollectionBuilder builder(facts);
  GarbageCollection packet;
  for (size_t i = 0; i <= GarbageCollections::kMaxRows; ++i) {
    packet.set_duration_ns(i + 1);
    builder.On(packet, static_cast<int64_t>(i * 10));
  }
  builder.Finish();
  EXPECT_EQ(facts.collections[0], GarbageCollections::kMaxRows + 1);
  ASSERT_EQ(facts.rows.size(), GarbageCollections::kMaxRows / 2 + 1);
  EXPECT_EQ(facts.rows.front().duration_ns, GarbageCollections::kMaxRows / 2 + 1);
}

}  // namespace
}  // namespace hindsight::analyzer
