#include "analyzer/reader/recorder_activity.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/reading.h"

namespace hindsight::analyzer {
namespace {

using testing::ModelOf;

// A collection, a pause, a thread and a wait of the recorder, each next to one of the application.
constexpr char kBoth[] = R"(
  packet { segment_start { monotonic_ns: 1000 } }
  packet { process { recording_started_monotonic_ns: 1000 source: "gc" source: "locks" } }
  packet { thread { id: 1 os_id: 10 } }
  packet { thread { id: 2 os_id: 11 is_recorder: true } }
  packet { time_delta_ns: 1000 suspension { reason: 1 total_ns: 3000000 by_recorder: true } }
  packet { garbage_collection { number: 1 induced: true duration_ns: 100 by_recorder: true } }
  packet { time_delta_ns: 1000 suspension { reason: 1 total_ns: 200 } }
  packet { garbage_collection { number: 2 induced: true duration_ns: 100 } }
  packet { lock_wait { id_delta: 1 thread: 1 kind: MONITOR owner: 2 over: true duration_ns: 16000000 } }
  packet { lock_wait { id_delta: 1 thread: 1 kind: MONITOR over: true duration_ns: 70 } })";

TEST(RecorderActivity, AreNotInTheModel) {
  const auto model = ModelOf(kBoth);
  EXPECT_EQ(model->collections.rows.size(), 1u);
  EXPECT_EQ(model->collections.pauses.size(), 1u);
  ASSERT_EQ(model->threads.size(), 2u);  // [0] stands for those not known
  EXPECT_EQ(model->threads[1].os_id, 10u);
  ASSERT_EQ(model->facts.notes.size(), 1u);
  EXPECT_EQ(model->facts.notes[0],
            "Caused by the recorder, and excluded from all numbers: 1 collection, 1 pause (3.0 "
            "ms in total), 1 wait for one of its threads (16.0 ms in total).");
}

// The runtime's thread for metrics, for example, which works only because the recorder reads them.
TEST(RecorderActivity, SamplesOfItsThreadsAreNotInTheModel) {
  const auto model = ModelOf(R"(
    packet { segment_start { monotonic_ns: 1000 } }
    packet { process { recording_started_monotonic_ns: 1000 source: "cpu" source: "allocations" } }
    packet { thread { id: 1 os_id: 10 } }
    packet { thread { id: 2 os_id: 11 is_recorder: true } }
    packet { cpu_samples { period_ns: 10 thread: [1, 2, 1] stack: [0, 0, 0]
                           time_delta_us: [0, 1, 1] weight: [1, 2, 4] unrooted: [1, 2] } }
    packet { allocation_samples { sampling: BYTES mean_bytes: 100 thread: [2, 1] stack: [0, 0]
                                  time_delta_us: [0, 1] type: [0, 0] size: [1000, 2000] } }
    packet { thread_lifetime { thread: 2 kind: DESTROYED } })");
  EXPECT_EQ(model->samples.cpu.count, 2u);
  EXPECT_EQ(model->samples.cpu.cpu_ns, 50u);
  EXPECT_EQ(model->samples.cpu.unrooted, 1u);
  EXPECT_EQ(model->samples.allocations.count, 1u);
  EXPECT_NEAR(model->samples.allocations.bytes, 2000, 1);
  EXPECT_EQ(model->threads.size(), 2u);
  ASSERT_EQ(model->facts.notes.size(), 1u);
  EXPECT_EQ(model->facts.notes[0],
            "Caused by the recorder, and excluded from all numbers: 2 samples of CPU time and "
            "allocations.");
}

TEST(RecorderActivity, WhereThereAreNoneNothingIsSaid) {
  RecorderActivity doings;
  Packet packet;
  packet.mutable_garbage_collection()->set_induced(true);
  EXPECT_FALSE(doings.Takes(packet));
  EXPECT_EQ(doings.Sentence(), "");
}

TEST(RecorderActivity, SumsOfAnyNumbersStayInRange) {
  RecorderActivity doings;
  Packet packet;
  packet.mutable_suspension()->set_by_recorder(true);
  packet.mutable_suspension()->set_total_ns(UINT64_MAX);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(doings.Takes(packet));
  EXPECT_NE(doings.Sentence().find("3 pauses"), std::string::npos) << doings.Sentence();
}

std::string NotSeen(uint64_t not_seen_ns, int64_t end_ns) {
  return "packet { segment_start { monotonic_ns: 1000 } } packet { process { "
         "recording_started_monotonic_ns: 1000 source: \"locks\" source: \"allocations\" source: "
         "\"requests\" source: \"gc\" } } packet { time_delta_ns: " +
         std::to_string(end_ns) +
         " recorder_note { text: \"late\" not_seen_ns: " + std::to_string(not_seen_ns) + " } }";
}

TEST(NotSeen, OfAProcessThatEndedAtItsStartEventsWereNotRecorded) {
  const auto model = ModelOf(NotSeen(950, 1000).c_str());
  EXPECT_FALSE(model->facts.locks_on);
  EXPECT_FALSE(model->facts.allocations_on);
  EXPECT_FALSE(model->facts.requests_on);
  EXPECT_TRUE(model->facts.ended_in_start);
  EXPECT_TRUE(model->facts.gc_on);
}

TEST(NotSeen, OfOneThatLivedOnTheyWere) {
  const auto model = ModelOf(NotSeen(500, 1000).c_str());
  EXPECT_TRUE(model->facts.locks_on);
  EXPECT_TRUE(model->facts.allocations_on);
  EXPECT_TRUE(model->facts.requests_on);
  EXPECT_FALSE(model->facts.ended_in_start);
  EXPECT_EQ(model->facts.notes.size(), 1u);
}

}  // namespace
}  // namespace hindsight::analyzer
