// What threads count becomes packets: each request once, and its time in the interval where it was
// spent.
#include "recorder/sources/requests/request_packets.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "recorder/stream/thread_track.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kRecording = 4'000'041;  // no other test's

class RequestPacketsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_TRUE(segments_.Open(ConfigFor(tmp_.path()), &why)) << why;
  }
  ~RequestPacketsTest() override { ThreadTracks::Instance().Release(kRecording, budget_); }

  RequestTally& Tally() { return ThreadTracks::Instance().Current(kRecording, budget_)->requests; }
  void Write(uint64_t now_ns) {
    packets_.Begin();
    requests_.Write(now_ns, packets_);
    requests_.SegmentEnded(true);
  }
  std::vector<hindsight::RequestCounts> Read() {
    packets_.End(SegmentKind::kLast);
    segments_.Close();
    std::vector<hindsight::RequestCounts> read;
    for (const ReadSegment& segment : ReadRecording(segments_.path()).segments) {
      for (const hindsight::Packet& packet : segment.recording.packet()) {
        if (packet.has_request_counts()) read.push_back(packet.request_counts());
      }
    }
    return read;
  }

  TemporaryFolder tmp_;
  MemoryBudget budget_;
  SegmentWriter segments_;
  PacketWriter packets_{segments_};
  std::optional<ServerCount> server_;
  RequestPackets requests_{kRecording, [this](uint64_t) { return server_; }};
};

TEST_F(RequestPacketsTest, ARequestCountsOnceAndItsTimeWhereItWasSpent) {
  Write(900);
  EXPECT_FALSE(requests_.HasNews(1000));
  Tally().Started(1100);
  Tally().Started(1200);
  EXPECT_TRUE(requests_.HasNews(1900));
  Write(2000);
  std::thread([this] {
    Tally().Failed();
    Tally().Finished(2500);
  }).join();
  Write(3000);
  EXPECT_FALSE(requests_.HasNews(3500));  // the other one continues
  Write(4000);
  Tally().Finished(4100);
  Write(5000);
  Write(6000);

  const auto read = Read();
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].interval_ns(), 1000u);
  EXPECT_EQ(read[0].started(), 2u);
  EXPECT_EQ(read[0].busy_ns(), 900u + 800u);
  EXPECT_EQ(read[0].in_flight(), 2u);
  EXPECT_EQ(read[1].finished(), 1u);
  EXPECT_EQ(read[1].failed(), 1u);
  EXPECT_EQ(read[1].busy_ns(), 500u + 1000u);
  EXPECT_EQ(read[2].interval_ns(), 1000u);
  EXPECT_EQ(read[2].busy_ns(), 1000u);
  EXPECT_EQ(read[2].in_flight(), 1u);
  EXPECT_EQ(read[3].finished(), 1u);
  EXPECT_EQ(read[3].busy_ns(), 100u);
  EXPECT_EQ(read[3].in_flight(), 0u);
  EXPECT_EQ(read[0].fewest_in_flight(), 0u);
  EXPECT_EQ(read[2].fewest_in_flight(), 1u);
}

TEST_F(RequestPacketsTest, TheFewestInFlightAreThoseAtAnyLook) {
  for (int i = 0; i < 4; ++i) Tally().Started(1000);
  Write(2000);
  for (int i = 0; i < 3; ++i) Tally().Finished(2100);
  EXPECT_TRUE(requests_.HasNews(2200));
  for (int i = 0; i < 2; ++i) Tally().Started(2300);
  packets_.Begin();
  requests_.Write(3000, packets_);
  requests_.SegmentEnded(false);
  Tally().Started(3100);
  Write(4000);  // with what was not written
  Tally().Started(4100);
  Write(5000);

  const auto read = Read();
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].fewest_in_flight(), 0u);
  EXPECT_EQ(read[1].fewest_in_flight(), 1u);
  EXPECT_EQ(read[2].fewest_in_flight(), 1u);
  EXPECT_EQ(read[2].in_flight(), 4u);
  EXPECT_EQ(read[3].fewest_in_flight(), 4u);
}

TEST_F(RequestPacketsTest, ServerErrorsAreThoseOfTheRecordingAndTheNextPacketHasWhatOneMissed) {
  EXPECT_FALSE(requests_.HasNews(900));
  Tally().Started(1100);
  Tally().Failed();
  Tally().Finished(1200);
  server_ = {.started = 501, .in_flight = 0, .errors = 101};  // 100 of them long before
  Write(2000);
  Tally().Started(2100);
  server_ = std::nullopt;  // a collection is moving the server's event source
  Tally().Finished(3000);
  Write(3000);
  EXPECT_TRUE(requests_.HasNews(3500));  // nothing but what the last one missed
  server_ = {.started = 502, .in_flight = 0, .errors = 104};
  Write(4000);
  EXPECT_FALSE(requests_.HasNews(4500));
  Tally().Started(4600);
  server_ = {.started = 503, .in_flight = 1, .errors = 103};  // what has been counted stays counted
  Write(5000);

  const auto read = Read();
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].server_errors(), 1u);
  EXPECT_FALSE(read[1].has_server_errors());
  EXPECT_EQ(read[2].server_errors(), 3u);
  EXPECT_TRUE(read[3].has_server_errors());
  EXPECT_EQ(read[3].server_errors(), 0u);
}

// Answers of 500 need no exception.
TEST_F(RequestPacketsTest, AllServerErrorsAreTheRecordingsIfNobodyListenedBefore) {
  EXPECT_FALSE(requests_.HasNews(900));
  for (int i = 0; i < 3; ++i) Tally().Started(1100);
  for (int i = 0; i < 2; ++i) Tally().Finished(1200);
  server_ = {.started = 3, .in_flight = 1, .errors = 2};
  Write(2000);

  const auto read = Read();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].server_errors(), 2u);
  EXPECT_EQ(read[0].in_flight(), 1u);
}

// Their ends are events, as an earlier recording made the server report them; their starts are not.
TEST_F(RequestPacketsTest, RequestsThatAnEarlierRecordingSawBeginAreInFlight) {
  EXPECT_FALSE(requests_.HasNews(1000));
  Tally().Started(1100);
  Tally().Finished(1200);  // one of the seven from before
  server_ = {.started = 99, .in_flight = 7, .errors = 0};
  Write(2000);
  for (int i = 0; i < 7; ++i) Tally().Finished(2500);
  server_ = {.started = 99, .in_flight = 0, .errors = 0};
  Write(3000);
  EXPECT_FALSE(requests_.HasNews(3500));

  const auto read = Read();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].in_flight(), 7u);
  EXPECT_EQ(read[0].busy_ns(), 100u + 7 * 1000u);
  EXPECT_EQ(read[1].finished(), 7u);
  EXPECT_EQ(read[1].busy_ns(), 7 * 500u);
  EXPECT_EQ(read[1].in_flight(), 0u);
}

// A request that begins between two looks is counted in only one of them.
TEST_F(RequestPacketsTest, TwoLooksMustAgreeOnWhatWasBefore) {
  EXPECT_FALSE(requests_.HasNews(1000));
  Tally().Started(1100);
  server_ = {.started = 1, .in_flight = 1, .errors = 0};
  uint64_t looks = 0;
  RequestPackets requests(kRecording, [&](uint64_t) {
    ++looks;
    return std::optional(ServerCount{.started = 1 + looks, .in_flight = 1 + looks % 2});
  });
  packets_.Begin();
  requests.Write(2000, packets_);
  requests.SegmentEnded(true);
  EXPECT_GT(looks, 2u);

  const auto read = Read();
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].in_flight(), 1u);
  EXPECT_FALSE(read[0].has_server_errors());
}

TEST_F(RequestPacketsTest, WithoutAServerThereIsNothing) {
  Write(1000);
  Write(2000);
  EXPECT_TRUE(Read().empty());
}

}  // namespace
}  // namespace hindsight::recorder
