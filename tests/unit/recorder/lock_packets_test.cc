// Beginnings and ends of waits, from events as the callbacks write them to packets on disk. Only
// addresses are known of code: see exception_packets_test.h.
#include "recorder/sources/locks/lock_packets.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/recorder/output_test_support.h"
#include "tests/unit/recorder/packets_test.h"

namespace hindsight::recorder {
namespace {

constexpr uint32_t kWaiter = 4'000'001, kOwner = 4'000'002;  // no kernel threads of this process

struct Read {
  std::vector<hindsight::LockWait> waits;
  std::vector<uint64_t> ids;  // of these
  std::vector<hindsight::LockWaitEnd> ends;
  std::vector<hindsight::PoolAdjustment> adjustments;
  std::vector<hindsight::PoolSample> samples;
};

class LockPacketsTest : public PacketsTest {
 protected:
  LockPacketsTest() : PacketsTest(false) {}

  void SetUp() override {
    PacketsTest::SetUp();
    locks_.OnLongWaits([this](std::span<const uint32_t> owners) {
      asked_.emplace_back(owners.begin(), owners.end());
    });
  }

  template <typename Event>
  void Consume(Event& event, EventKind kind, uint32_t thread, uint64_t time_ns) {
    event.header = {sizeof(event) / 8, kind, thread, time_ns};
    packets_.Begin();
    locks_.Consume(event.header, packets_);
  }
  void Began(uint64_t ordinal, uint64_t time_ns, uint32_t owner = kOwner) {
    LockWaitBeganEvent event{};
    event.ordinal = ordinal;
    event.lock = 0x10;
    event.object = 0x20;
    event.owner = owner;
    event.kind = WaitKind::kMonitor;
    Consume(event, EventKind::kLockWaitBegan, kWaiter, time_ns);
  }
  void Ended(uint64_t ordinal, uint64_t time_ns) {
    LockWaitEndedEvent event{};
    event.ordinal = ordinal;
    Consume(event, EventKind::kLockWaitEnded, kWaiter, time_ns);
  }
  void OwnerSeen(uint32_t owner, uint64_t time_ns) {
    struct {
      ThreadStateEvent state;
      uintptr_t frame;
    } event{};
    event.state.frames_inline = 1;
    event.frame = 0x4000;
    event.state.header = {sizeof(event) / 8, EventKind::kLockOwnerSeen, owner, time_ns};
    packets_.Begin();
    locks_.Consume(event.state.header, packets_);
  }
  void EndSegment(SegmentKind kind = SegmentKind::kData) {
    packets_.Begin();
    locks_.Flush(packets_);
    ASSERT_TRUE(packets_.End(kind));
  }
  Read Close() {
    EndSegment(SegmentKind::kLast);
    EXPECT_TRUE(segments_.Close());
    const ReadResult result = ReadRecording(segments_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    Read read;
    for (const ReadSegment& segment : result.segments) {
      uint64_t next_id = 0;
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_lock_wait()) {
          const uint64_t id = next_id + static_cast<uint64_t>(packet.lock_wait().id_delta());
          next_id = id + 1;
          read.waits.push_back(packet.lock_wait());
          read.ids.push_back(id);
        }
        if (packet.has_lock_wait_end()) read.ends.push_back(packet.lock_wait_end());
        if (packet.has_pool_adjustment()) read.adjustments.push_back(packet.pool_adjustment());
        if (packet.has_pool_sample()) read.samples.push_back(packet.pool_sample());
      }
    }
    return read;
  }

  LockPackets locks_{dictionaries_, threads_};
  std::vector<std::vector<uint32_t>> asked_;
};

TEST_F(LockPacketsTest, AWaitThatEndsInItsSegmentIsOnePacket) {
  Began(1, 1000);
  Ended(1, 5000);
  const Read read = Close();
  ASSERT_EQ(read.waits.size(), 1u);
  EXPECT_TRUE(read.ends.empty());
  const hindsight::LockWait& wait = read.waits[0];
  EXPECT_EQ(read.ids[0], 1u);
  EXPECT_EQ(wait.kind(), hindsight::LockWait::MONITOR);
  EXPECT_EQ(wait.lock(), 0x10u);
  EXPECT_EQ(wait.object(), 0x20u);
  EXPECT_NE(wait.owner(), 0u);
  EXPECT_NE(wait.owner(), wait.thread());
  EXPECT_TRUE(wait.over());
  EXPECT_EQ(wait.duration_ns(), 4000u);
}

TEST_F(LockPacketsTest, AWaitThatOutlivesItsSegmentIsThereAndItsEndFollows) {
  Began(1, 1000);
  EndSegment();
  Began(2, 1500);
  Ended(2, 1600);
  Ended(1, 9000);
  const Read read = Close();
  ASSERT_EQ(read.waits.size(), 2u);
  EXPECT_EQ(read.ids, (std::vector<uint64_t>{1, 2}));
  EXPECT_FALSE(read.waits[0].over());
  EXPECT_TRUE(read.waits[1].over());
  ASSERT_EQ(read.ends.size(), 1u);
  EXPECT_EQ(read.ends[0].id(), 1u);
  EXPECT_TRUE(read.ends[0].over());
  EXPECT_EQ(read.ends[0].duration_ns(), 8000u);
}

TEST_F(LockPacketsTest, AWaitThatNeverEndsIsWrittenOnce) {
  Began(1, 1000);
  EndSegment();
  EndSegment();
  const Read read = Close();
  ASSERT_EQ(read.waits.size(), 1u);
  EXPECT_FALSE(read.waits[0].over());
  EXPECT_TRUE(read.ends.empty());
}

TEST_F(LockPacketsTest, TheOwnersStackComesWithTheWaitOrAfterIt) {
  Began(1, 1000);
  OwnerSeen(kOwner, 2000);
  EndSegment();
  Began(2, 3000);
  EndSegment();
  OwnerSeen(kOwner, 4000);
  const Read read = Close();
  ASSERT_EQ(read.waits.size(), 2u);
  EXPECT_NE(read.waits[0].owner_stack(), 0u);
  EXPECT_EQ(read.waits[1].owner_stack(), 0u);
  ASSERT_EQ(read.ends.size(), 1u);
  EXPECT_EQ(read.ends[0].id(), 2u);
  EXPECT_FALSE(read.ends[0].over());
  EXPECT_NE(read.ends[0].owner_stack(), 0u);
}

TEST_F(LockPacketsTest, AnotherThreadsStackIsNotTheOwners) {
  Began(1, 1000);
  OwnerSeen(kOwner + 1, 2000);
  EXPECT_EQ(Close().waits[0].owner_stack(), 0u);
}

TEST_F(LockPacketsTest, OwnersOfLongWaitsAreAskedForAFewTimes) {
  Began(1, MonotonicNs() + 3'600'000'000'000);  // has just begun
  Began(2, 1000);                               // long ago
  Began(3, 1000, 0);                            // no owner
  for (int i = 0; i < 5; ++i) EndSegment();
  EXPECT_EQ(asked_, (std::vector<std::vector<uint32_t>>(3, {kOwner})));
}

TEST_F(LockPacketsTest, AnEndWithoutABeginningIsNothing) {
  Ended(7, 1000);
  const Read read = Close();
  EXPECT_TRUE(read.waits.empty());
  EXPECT_TRUE(read.ends.empty());
}

TEST_F(LockPacketsTest, ThePoolIsReportedAsItWas) {
  PoolAdjustedEvent adjusted{};
  adjusted.throughput = 2.5;
  adjusted.workers = 7;
  adjusted.reason = wire::PoolAdjustment::Reason::kStarvation;
  Consume(adjusted, EventKind::kPoolAdjusted, kWaiter, 1000);
  PoolSampledEvent sampled{};
  sampled.workers = 8;
  sampled.queue_length = 9;
  sampled.completed = 10;
  Consume(sampled, EventKind::kPoolSampled, kWaiter, 2000);
  const Read read = Close();
  ASSERT_EQ(read.adjustments.size(), 1u);
  EXPECT_EQ(read.adjustments[0].workers(), 7u);
  EXPECT_EQ(read.adjustments[0].throughput(), 2.5);
  EXPECT_EQ(read.adjustments[0].reason(), hindsight::PoolAdjustment::STARVATION);
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.samples[0].workers(), 8u);
  EXPECT_EQ(read.samples[0].queue_length(), 9u);
  EXPECT_EQ(read.samples[0].completed(), 10u);
}

}  // namespace
}  // namespace hindsight::recorder
