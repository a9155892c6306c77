#include "recorder/encode/packet_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "proto/limits.h"
#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

class PacketWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    ASSERT_TRUE(segments_.Open(ConfigFor(tmp_.path(), 4u << 20), &why)) << why;
  }

  ReadResult Close() {
    EXPECT_TRUE(packets_.End(SegmentKind::kLast));
    EXPECT_TRUE(segments_.Close());
    ReadResult result = ReadRecording(segments_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    EXPECT_EQ(result.torn_bytes, 0u);
    for (const ReadSegment& segment : result.segments) {
      EXPECT_GT(segment.recording.packet_size(), 0);
      EXPECT_TRUE(segment.recording.packet(0).has_segment_start());
      for (int i = 1; i < segment.recording.packet_size(); ++i) {
        EXPECT_FALSE(segment.recording.packet(i).has_segment_start());
      }
    }
    return result;
  }

  void Note(const std::string& text, uint64_t time_ns = kNoTime) {
    packets_.Write(wire::Packet::kRecorderNote, time_ns,
                   [&](auto& note) { note.Set(note.kText, text); });
  }

  TemporaryFolder tmp_;
  SegmentWriter segments_;
  PacketWriter packets_{segments_};
};

TEST_F(PacketWriterTest, WritesNoSegmentUnasked) {
  EXPECT_FALSE(packets_.open());
  EXPECT_TRUE(packets_.End());
  EXPECT_EQ(segments_.next_sequence(), 0u);
}

TEST_F(PacketWriterTest, StartsASegmentWithItsClocks) {
  const uint64_t monotonic = MonotonicNs();
  const uint64_t unix = UnixNs();
  packets_.Begin();
  EXPECT_TRUE(packets_.open());
  const ReadResult read = Close();
  ASSERT_EQ(read.segments.size(), 1u);
  const auto& start = read.segments[0].recording.packet(0).segment_start();
  EXPECT_GE(start.monotonic_ns(), monotonic);
  EXPECT_LE(start.monotonic_ns(), MonotonicNs());
  EXPECT_GE(start.unix_ns(), unix);
  EXPECT_LE(start.unix_ns(), UnixNs());
}

TEST_F(PacketWriterTest, BeginKeepsAnOpenSegment) {
  packets_.Begin();
  Note("one");
  packets_.Begin();
  Note("two");
  const ReadResult read = Close();
  ASSERT_EQ(read.segments.size(), 1u);
  ASSERT_EQ(read.segments[0].recording.packet_size(), 3);
  EXPECT_EQ(read.segments[0].recording.packet(1).recorder_note().text(), "one");
  EXPECT_EQ(read.segments[0].recording.packet(2).recorder_note().text(), "two");
}

TEST_F(PacketWriterTest, AddsUpTimesInEverySegment) {
  std::vector<std::vector<uint64_t>> times(2);
  for (auto& segment_times : times) {
    packets_.Begin();
    const uint64_t now = MonotonicNs();
    // Forwards, backwards, before the segment, twice the same.
    segment_times = {now + 5, now + 5, now + 3, now - 1'000'000, now + 2'000'000'000'000};
    for (const uint64_t time : segment_times) {
      Note("timed", time);
      Note("untimed");
    }
    ASSERT_TRUE(packets_.End());
  }
  const ReadResult read = Close();
  ASSERT_EQ(read.segments.size(), 2u);
  for (size_t s = 0; s < 2; ++s) {
    const Recording& recording = read.segments[s].recording;
    uint64_t time = recording.packet(0).segment_start().monotonic_ns();
    std::vector<uint64_t> seen;
    for (const Packet& packet : recording.packet()) {
      time += static_cast<uint64_t>(packet.time_delta_ns());
      if (packet.recorder_note().text() == "timed") seen.push_back(time);
      if (packet.recorder_note().text() == "untimed") {
        EXPECT_EQ(packet.time_delta_ns(), 0);
      }
    }
    EXPECT_EQ(seen, times[s]);
  }
}

TEST_F(PacketWriterTest, DescribesEveryFileAtItsStart) {
  int files = 0;
  int segments = 0;
  packets_.OnNewFile([&] { Note("file " + std::to_string(++files)); });
  packets_.OnNewSegment([&] { Note("segment " + std::to_string(++segments)); });
  uint32_t number = 0;
  while (files < 3 && number < 100) {
    packets_.Begin();
    ASSERT_TRUE(segments_.Add(Bytes(TestPacket(++number, 500'000))));
    ASSERT_TRUE(packets_.End());
  }
  ASSERT_EQ(files, 3);
  const ReadResult read = Close();
  ASSERT_EQ(static_cast<int>(read.segments.size()), segments);
  std::string file;
  int seen = 0;
  for (int s = 0; s < segments; ++s) {
    const Recording& recording = read.segments[s].recording;
    int at = 1;
    if (read.segments[s].file != file) {
      file = read.segments[s].file;
      EXPECT_EQ(recording.packet(at++).recorder_note().text(), "file " + std::to_string(++seen));
    }
    EXPECT_EQ(recording.packet(at).recorder_note().text(), "segment " + std::to_string(s + 1));
  }
  EXPECT_EQ(seen, 3);
}

TEST_F(PacketWriterTest, IsFullAtOneMebibyte) {
  EXPECT_FALSE(packets_.full());
  packets_.Begin();
  const std::string text(1000, 'x');
  size_t notes = 0;
  for (; !packets_.full(); ++notes) {
    ASSERT_LT(segments_.raw_bytes(), kTargetSegmentRawBytes);
    Note(text);
  }
  EXPECT_GE(segments_.raw_bytes(), kTargetSegmentRawBytes);
  EXPECT_LT(segments_.raw_bytes(), kTargetSegmentRawBytes + 1100);
  ASSERT_TRUE(packets_.End());
  EXPECT_FALSE(packets_.full());
  const ReadResult read = Close();
  ASSERT_EQ(read.segments.size(), 1u);
  EXPECT_EQ(read.segments[0].recording.packet_size(), static_cast<int>(notes) + 1);
}

// What is held back for a segment must go into it: so only its owner ends it.
TEST_F(PacketWriterTest, BeginNeverEndsAFullSegment) {
  packets_.Begin();
  while (!packets_.full()) Note(std::string(60'000, 'x'));
  packets_.Begin();
  Note("last");
  const ReadResult read = Close();
  ASSERT_EQ(read.segments.size(), 1u);
  const Recording& recording = read.segments[0].recording;
  EXPECT_EQ(recording.packet(recording.packet_size() - 1).recorder_note().text(), "last");
}

TEST_F(PacketWriterTest, CountsWhatDoesNotFitAndKeepsTheTimes) {
  packets_.Begin();
  const uint64_t now = MonotonicNs();
  Note("before", now + 10);
  Note(std::string(3u << 20, 'x'), now + 20);
  EXPECT_EQ(packets_.oversized(), 1u);
  Note("after", now + 30);
  const ReadResult read = Close();
  ASSERT_EQ(read.segments[0].recording.packet_size(), 3);
  const hindsight::Recording& recording = read.segments[0].recording;
  const auto since_start =
      static_cast<int64_t>(now - recording.packet(0).segment_start().monotonic_ns());
  EXPECT_EQ(recording.packet(1).time_delta_ns(), since_start + 10);
  EXPECT_EQ(recording.packet(2).time_delta_ns(), 20);
}

TEST_F(PacketWriterTest, CountsExceptionIdsFromZeroInEverySegment) {
  for (int segment = 0; segment < 2; ++segment) {
    packets_.Begin();
    EXPECT_EQ(packets_.ExceptionIdDelta(5), 5);
    EXPECT_EQ(packets_.ExceptionIdDelta(6), 0);
    EXPECT_EQ(packets_.ExceptionIdDelta(2), -5);
    EXPECT_EQ(packets_.ExceptionIdDelta(3), 0);
    ASSERT_TRUE(packets_.End());
  }
}

}  // namespace
}  // namespace hindsight::recorder
