// Segments with correct checksums whose contents break a rule: rejected, and nothing in them is
// delivered.
#include <gtest/gtest.h>

#include <string>

#include "proto/limits.h"
#include "tests/support/reading.h"

namespace hindsight::testing {
namespace {

using analyzer::Damage;

constexpr char kStart[] = "packet { segment_start { monotonic_ns: 1000 unix_ns: 2000 } }";

class Body : public ::testing::Test {
 protected:
  // A recording of a good segment and `segment`.
  ReadOutcome ReadWith(const std::string& segment) {
    RecordingBuilder builder(kId);
    builder.AddSegment(ParseText(kStart));
    WriteFile(path_, builder.files()[0] + segment);
    return ReadAll({path_});
  }

  ReadOutcome ReadWithBody(const std::string& body) {
    return ReadWith(EncodeSegment(Header(), body));
  }

  ReadOutcome ReadWithText(const std::string& packets) {
    return ReadWithBody(ParseText(kStart + packets).SerializeAsString());
  }

  void ExpectRefused(const ReadOutcome& outcome) {
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(outcome.segments.size(), 1u);
    ASSERT_EQ(outcome.integrity.damages.size(), 1u);
    EXPECT_EQ(outcome.integrity.damages[0].cause, Damage::Cause::kInvalid);
    EXPECT_EQ(outcome.integrity.damages[0].sequence, 1u);
    ASSERT_EQ(outcome.integrity.gaps.size(), 1u);
    EXPECT_EQ(outcome.integrity.gaps[0].first_sequence, 1u);
  }

  void ExpectAccepted(const ReadOutcome& outcome) {
    ASSERT_FALSE(outcome.error);
    EXPECT_EQ(outcome.segments.size(), 2u);
    EXPECT_EQ(outcome.integrity.damage_count, 0u);
  }

  static SegmentHeader Header() {
    SegmentHeader header;
    header.file_number = 1;
    header.recording_id = kId;
    header.sequence = 1;
    return header;
  }

  static constexpr uint64_t kId = 42;
  const TempDir dir_;
  const std::string path_ = dir_ / "file.hsr";
};

TEST_F(Body, FramesThatAreNotWhatTheHeaderSays) {
  const std::string body = ParseText(kStart).SerializeAsString();
  const std::string frame = EncodeSegment(Header(), body).substr(kSegmentHeaderBytes);
  SegmentHeader header = Header();
  header.raw_bytes = static_cast<uint32_t>(body.size());
  ExpectAccepted(ReadWith(EncodeSegmentAround(header, frame)));
  ExpectRefused(ReadWith(EncodeSegmentAround(header, frame + frame)));
  ExpectRefused(ReadWith(EncodeSegmentAround(header, "no zstd frame")));
  ExpectRefused(ReadWith(EncodeSegmentAround(header, "")));
  header.raw_bytes += 1;
  ExpectRefused(ReadWith(EncodeSegmentAround(header, frame)));
  header.raw_bytes -= 2;
  ExpectRefused(ReadWith(EncodeSegmentAround(header, frame)));
}

TEST_F(Body, BodiesThatAreNoRecording) {
  ExpectRefused(ReadWithBody(""));
  ExpectRefused(ReadWithBody("\xff\xff\xff"));
  ExpectRefused(ReadWithBody(std::string("\x0a\x05\x01", 3)));  // longer than the segment
  const std::string start = ParseText(kStart).SerializeAsString();
  ExpectRefused(ReadWithBody(start + std::string("\x0a\x02\x0a\x7f", 4)));
  ExpectAccepted(ReadWithBody(start + std::string("\x10\x01", 2)));  // an unknown field
}

TEST_F(Body, SegmentStartIsFirstAndAlone) {
  ExpectRefused(ReadWithText(kStart));
  ExpectRefused(ReadWithBody(ParseText("packet { string { id: 1 } }").SerializeAsString()));
}

TEST_F(Body, IdsAreInBounds) {
  const std::string most = std::to_string(kMaxDictionaryEntries);
  const std::string over = std::to_string(kMaxDictionaryEntries + 1);
  for (const char* kind : {"string", "module", "type", "method", "frame", "stack"}) {
    ExpectAccepted(ReadWithText("packet { " + std::string(kind) + " { id: " + most + " } }"));
    ExpectRefused(ReadWithText("packet { " + std::string(kind) + " { id: " + over + " } }"));
    ExpectRefused(ReadWithText("packet { " + std::string(kind) + " { id: 0 } }"));
  }
  for (const char* reference :
       {"module { id: 1 path: ", "module { id: 1 assembly: ", "type { id: 1 name: ",
        "type { id: 1 module: ", "type { id: 1 argument: ", "type { id: 1 element: ",
        "method { id: 1 name: ", "method { id: 1 type: ", "method { id: 1 module: ",
        "method { id: 1 argument: ", "frame { id: 1 method: ", "stack { id: 1 parent: ",
        "stack { id: 1 frame: ", "thread { id: 1 name: ", "exception { id_delta: 1 type: ",
        "exception { id_delta: 1 message: ", "exception { id_delta: 1 stack: ",
        "module_load { module: "}) {
    ExpectRefused(ReadWithText("packet { " + std::string(reference) + over + " } }"));
  }
  ExpectRefused(ReadWithText("packet { exception_outcome { outcome { catcher: " + over + " } } }"));
  ExpectAccepted(ReadWithText("packet { thread { id: 4294967295 } }"));
  ExpectRefused(ReadWithText("packet { thread { id: 0 } }"));
}

TEST_F(Body, TextsAreBounded) {
  const std::string most(kMaxStringBytes, 'x');
  ExpectAccepted(ReadWithText("packet { string { id: 1 value: '" + most + "' } }"));
  ExpectRefused(ReadWithText("packet { string { id: 1 value: '" + most + "x' } }"));
  ExpectRefused(ReadWithText("packet { recorder_note { text: '" + most + "x' } }"));
  ExpectRefused(ReadWithText("packet { process { command_line: '" + most + "x' } }"));
  ExpectRefused(ReadWithText("packet { method { id: 1 parameter: '" + most + "x' } }"));
}

TEST_F(Body, PacketsAreBounded) {
  std::string packets = "packet { method { id: 1 ";
  for (size_t i = 0; i < kMaxPacketBytes / 60'000 + 1; ++i) {
    packets += "parameter: '" + std::string(60'000, 'x') + "' ";
  }
  ExpectRefused(ReadWithText(packets + "} }"));
}

TEST_F(Body, TimesAreInRange) {
  ExpectAccepted(ReadWithText("packet { time_delta_ns: -1000 loss { count: 1 } }"));
  ExpectRefused(ReadWithText("packet { time_delta_ns: -1001 loss { count: 1 } }"));
  ExpectRefused(
      ReadWithText("packet { time_delta_ns: 9223372036854775807 loss {} }"
                   "packet { time_delta_ns: 9223372036854775807 loss {} }"));
}

TEST_F(Body, ExceptionIdsAreInRange) {
  ExpectAccepted(ReadWithText("packet { exception { id_delta: 1 } }"));
  ExpectRefused(ReadWithText("packet { exception { id_delta: 0 } }"));
  ExpectRefused(ReadWithText("packet { exception { id_delta: -1 } }"));
  ExpectAccepted(ReadWithText("packet { exception { id_delta: 5 previous_delta: 4 } }"));
  ExpectRefused(ReadWithText("packet { exception { id_delta: 5 previous_delta: 5 } }"));
  ExpectRefused(ReadWithText("packet { exception { id_delta: 5 cause_delta: 5 } }"));
  ExpectRefused(ReadWithText("packet { exception { id_delta: 5 during_delta: 6 } }"));
}

TEST_F(Body, UnknownPacketsAreSkippedAndCounted) {
  // A packet whose only field has number 1000.
  const std::string packet =
      "\x0a\x09\xc2\x3e\x06"
      "future";
  const ReadOutcome outcome = ReadWithBody(ParseText(kStart).SerializeAsString() + packet);
  ExpectAccepted(outcome);
  EXPECT_EQ(outcome.integrity.unknown_packets, 1u);
  EXPECT_EQ(outcome.segments.at(1).size(), 1u);
}

TEST_F(Body, UnknownSegmentKindsAreSkippedAndCounted) {
  SegmentHeader header = Header();
  header.kind = static_cast<SegmentKind>(77);
  const ReadOutcome outcome = ReadWith(EncodeSegment(header, "anything"));
  EXPECT_EQ(outcome.segments.size(), 1u);
  EXPECT_EQ(outcome.integrity.skipped_segments, 1u);
  EXPECT_EQ(outcome.integrity.damage_count, 0u);
}

// Each costs time, and four megabytes of them take two hundred bytes.
TEST_F(Body, PacketsAreNotEmptyAndNotWithoutNumber) {
  const std::string start = ParseText(kStart).SerializeAsString();
  ExpectRefused(ReadWithBody(start + std::string("\x0a\0", 2)));
  std::string least;  // a delta of zero
  for (uint64_t i = 1; i < kMaxSegmentPackets; ++i) least += std::string("\x0a\x02\x08\0", 4);
  ExpectAccepted(ReadWithBody(start + least));
  ExpectRefused(ReadWithBody(start + least + std::string("\x0a\x02\x08\0", 4)));
}

TEST_F(Body, ARecordingThatExpandsBeyondReasonIsRefused) {
  RecordingBuilder builder(kId);
  const std::string body = ParseText(kStart).SerializeAsString() +
                           std::string("\xfa\x07\x80\x80\x40", 5) +
                           std::string(1 << 20, 'x');  // a field that is unknown
  for (int i = 0; i < 65; ++i) builder.AddBody(body);
  WriteFile(path_, builder.files()[0]);
  const ReadOutcome outcome = ReadAll({path_});
  ASSERT_TRUE(outcome.error);
  EXPECT_NE(outcome.error->sentence.find("256 times"), std::string::npos);
}

}  // namespace
}  // namespace hindsight::testing
