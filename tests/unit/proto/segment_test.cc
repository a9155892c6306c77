#include "proto/segment.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "proto/limits.h"

namespace hindsight {
namespace {

using HeaderBytes = std::array<std::byte, kSegmentHeaderBytes>;

SegmentHeader Example() {
  SegmentHeader header;
  header.kind = SegmentKind::kLast;
  header.file_number = 7;
  header.recording_id = 0x0123456789abcdef;
  header.sequence = 0xfedcba9876543210;
  header.compressed_bytes = 1000;
  header.raw_bytes = 2000;
  header.body_crc32c = 0xdeadbeef;
  header.oldest_file = 5;
  header.oldest_sequence = 0x89abcdef;
  header.deleted_for_full_disk = true;
  return header;
}

HeaderBytes Encode(const SegmentHeader& header) {
  HeaderBytes bytes;
  EncodeSegmentHeader(header, bytes);
  return bytes;
}

HeaderError Decode(std::span<const std::byte> bytes) {
  SegmentHeader ignored;
  return DecodeSegmentHeader(bytes, ignored);
}

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Crc32c, HasTheKnownValues) {
  EXPECT_EQ(Crc32c(Bytes("123456789")), 0xe3069283u);
  EXPECT_EQ(Crc32c({}), 0u);
  const std::vector<std::byte> zeros(32);
  EXPECT_EQ(Crc32c(zeros), 0x8a9136aau);  // RFC 3720, B.4
}

TEST(Crc32c, ContinuesWhereItStopped) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const uint32_t first = Crc32c(Bytes(std::string_view(text).substr(0, cut)));
    EXPECT_EQ(Crc32c(Bytes(std::string_view(text).substr(cut)), first), Crc32c(Bytes(text)));
  }
}

TEST(SegmentHeader, ReadsBackWhatWasWritten) {
  const SegmentHeader in = Example();
  SegmentHeader out;
  ASSERT_EQ(DecodeSegmentHeader(Encode(in), out), HeaderError::kNone);
  EXPECT_EQ(out.version, kFormatVersion);
  EXPECT_EQ(out.kind, in.kind);
  EXPECT_EQ(out.file_number, in.file_number);
  EXPECT_EQ(out.recording_id, in.recording_id);
  EXPECT_EQ(out.sequence, in.sequence);
  EXPECT_EQ(out.compressed_bytes, in.compressed_bytes);
  EXPECT_EQ(out.raw_bytes, in.raw_bytes);
  EXPECT_EQ(out.body_crc32c, in.body_crc32c);
}

TEST(SegmentHeader, EveryFlippedBitIsNoticed) {
  const HeaderBytes good = Encode(Example());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    HeaderBytes bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    const HeaderError error = Decode(bad);
    EXPECT_EQ(error, bit < 16 * 8 ? HeaderError::kNoMagic : HeaderError::kChecksum) << bit;
  }
}

TEST(SegmentHeader, ShorterThanAHeaderIsSaidSo) {
  const HeaderBytes bytes = Encode(Example());
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Decode(std::span(bytes).first(size)), HeaderError::kTooShort) << size;
  }
}

TEST(SegmentHeader, ANewerVersionIsReported) {
  SegmentHeader header = Example();
  header.version = kFormatVersion + 1;
  SegmentHeader out;
  EXPECT_EQ(DecodeSegmentHeader(Encode(header), out), HeaderError::kNewerVersion);
  EXPECT_EQ(out.version, kFormatVersion + 1);
}

TEST(SegmentHeader, SizesBeyondTheLimitsAreRefused) {
  SegmentHeader header = Example();
  header.raw_bytes = kMaxSegmentRawBytes;
  header.compressed_bytes = kMaxSegmentCompressedBytes;
  EXPECT_EQ(Decode(Encode(header)), HeaderError::kNone);
  header.raw_bytes = kMaxSegmentRawBytes + 1;
  EXPECT_EQ(Decode(Encode(header)), HeaderError::kOverLimit);
  header = Example();
  header.compressed_bytes = kMaxSegmentCompressedBytes + 1;
  EXPECT_EQ(Decode(Encode(header)), HeaderError::kOverLimit);
}

TEST(FindSegment, FindsTheNextHeaderAndNothingElse) {
  const HeaderBytes header = Encode(Example());
  std::vector<std::byte> data(100);
  data.insert(data.end(), header.begin(), header.begin() + 15);  // cut off inside the magic
  const size_t first = data.size();
  data.insert(data.end(), header.begin(), header.end());
  const size_t second = data.size();
  data.insert(data.end(), header.begin(), header.begin() + 16);  // magic only
  EXPECT_EQ(FindSegment(data, 0), first);
  EXPECT_EQ(FindSegment(data, first), first);
  EXPECT_EQ(FindSegment(data, first + 1), second);
  EXPECT_EQ(FindSegment(data, second + 1), data.size());
  EXPECT_EQ(FindSegment(data, data.size()), data.size());
  EXPECT_EQ(FindSegment({}, 0), 0u);
}

}  // namespace
}  // namespace hindsight
