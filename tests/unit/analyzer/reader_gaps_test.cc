// Why segments are missing, case by case.
#include <gtest/gtest.h>

#include <filesystem>
#include <span>
#include <string>

#include "tests/support/heap_file.h"
#include "tests/support/reading.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

using analyzer::Damage;
using analyzer::Gap;

// The sample's segments: file 1 has 0 and 1, file 2 has 2 to 4, file 3 has 5 to 7.
class Gaps : public ::testing::Test {
 protected:
  Gaps() { sample_.WriteFolder(folder_); }

  std::string File(int number) const {
    return folder_ + "/00000" + std::to_string(number) + ".hsr";
  }
  void Remove(int number) { std::filesystem::remove(File(number)); }
  void Replace(int number, const std::string& bytes) { WriteFile(File(number), bytes); }
  const std::string& Bytes(int number) const { return sample_.files()[number - 1]; }
  size_t Offset(int number, int segment) const {
    return sample_.segment_offsets(number - 1)[segment];
  }

  // Reads the folder and expects one gap.
  Gap OnlyGap() {
    outcome_ = ReadAll({folder_});
    EXPECT_FALSE(outcome_.error);
    EXPECT_EQ(outcome_.integrity.gaps.size(), 1u);
    return outcome_.integrity.gaps.empty() ? Gap{} : outcome_.integrity.gaps[0];
  }

  static void ExpectGap(const Gap& gap, Gap::Cause cause, uint64_t first, uint64_t count) {
    EXPECT_EQ(gap.cause, cause);
    EXPECT_EQ(gap.first_sequence, first);
    EXPECT_EQ(gap.count, count);
  }

  const TempDir dir_;
  const std::string folder_ = dir_ / "shop-1.hindsight";
  const RecordingBuilder sample_ = SampleRecording();
  ReadOutcome outcome_;
};

TEST_F(Gaps, OldFilesThatAreGoneWereRotatedAway) {
  Remove(1);
  ExpectGap(OnlyGap(), Gap::Cause::kRotatedAway, 0, 2);
  EXPECT_TRUE(outcome_.integrity.intact());
  EXPECT_EQ(outcome_.integrity.lost_segments(), 0u);
  EXPECT_EQ(LossSentence(outcome_.integrity), "");
}

// A recorder that reports what it has deleted: `oldest` is the first file that it kept, and
// `oldest_sequence` that file's first segment.
class GapsWithOldest : public Gaps {
 protected:
  void SetOldest(uint32_t oldest, uint32_t oldest_sequence, bool full_disk = false) {
    for (int number = 1; number <= 3; ++number) {
      std::string bytes = Bytes(number);
      for (size_t offset : sample_.segment_offsets(number - 1)) {
        const auto at = std::as_writable_bytes(std::span(bytes)).subspan(offset);
        SegmentHeader header;
        ASSERT_EQ(DecodeSegmentHeader(at, header), HeaderError::kNone);
        header.oldest_file = oldest;
        header.oldest_sequence = oldest_sequence;
        header.deleted_for_full_disk = full_disk;
        EncodeSegmentHeader(header, at.first<kSegmentHeaderBytes>());
      }
      Replace(number, bytes);
    }
  }
};

TEST_F(GapsWithOldest, AFirstFileThatWasNotRotatedAwayIsMissing) {
  SetOldest(1, 0);
  EXPECT_TRUE(ReadAll({folder_}).integrity.intact());
  Remove(1);
  const Gap gap = OnlyGap();
  ExpectGap(gap, Gap::Cause::kMissingFile, 0, 2);
  EXPECT_EQ(gap.first_missing_file, 1u);
  EXPECT_EQ(gap.missing_files, 1u);
  EXPECT_FALSE(outcome_.integrity.intact());
}

TEST_F(GapsWithOldest, WhatWasDeletedOnPurposeIsNotMissing) {
  SetOldest(2, 2);
  Remove(1);
  ExpectGap(OnlyGap(), Gap::Cause::kRotatedAway, 0, 2);
  EXPECT_TRUE(outcome_.integrity.intact());
  SetOldest(2, 2, true);
  Remove(1);
  ExpectGap(OnlyGap(), Gap::Cause::kGivenUpForRoom, 0, 2);
  EXPECT_TRUE(outcome_.integrity.intact());
  Remove(2);
  outcome_ = ReadAll({folder_});
  ASSERT_EQ(outcome_.integrity.gaps.size(), 2u);
  ExpectGap(outcome_.integrity.gaps[1], Gap::Cause::kMissingFile, 2, 3);
  EXPECT_EQ(outcome_.integrity.gaps[1].first_missing_file, 2u);
  EXPECT_FALSE(outcome_.integrity.intact());
}

TEST_F(Gaps, AFileBetweenTwoOthersIsMissing) {
  Remove(2);
  const Gap gap = OnlyGap();
  ExpectGap(gap, Gap::Cause::kMissingFile, 2, 3);
  EXPECT_EQ(gap.first_missing_file, 2u);
  EXPECT_EQ(gap.missing_files, 1u);
  EXPECT_LT(gap.from_unix_ns, gap.to_unix_ns);
  EXPECT_EQ(outcome_.integrity.complete_until_unix_ns, gap.from_unix_ns);
  EXPECT_GT(outcome_.integrity.last_unix_ns, gap.to_unix_ns);
}

TEST_F(Gaps, AnUnreadableBodyIsDamageWithASequence) {
  std::string bytes = Bytes(2);
  bytes[Offset(2, 1) + kSegmentHeaderBytes + 20] ^= 1;
  Replace(2, bytes);
  ExpectGap(OnlyGap(), Gap::Cause::kDamaged, 3, 1);
  ASSERT_EQ(outcome_.integrity.damages.size(), 1u);
  const Damage& damage = outcome_.integrity.damages[0];
  EXPECT_EQ(damage.cause, Damage::Cause::kDamaged);
  EXPECT_EQ(damage.file, File(2));
  EXPECT_EQ(damage.offset, Offset(2, 1));
  EXPECT_EQ(damage.bytes, Offset(2, 2) - Offset(2, 1));
  EXPECT_EQ(damage.sequence, 3u);
}

TEST_F(Gaps, AnUnreadableHeaderIsDamageWithoutASequence) {
  std::string bytes = Bytes(2);
  bytes[Offset(2, 1) + 40] ^= 1;
  Replace(2, bytes);
  ExpectGap(OnlyGap(), Gap::Cause::kDamaged, 3, 1);
  ASSERT_EQ(outcome_.integrity.damages.size(), 1u);
  EXPECT_FALSE(outcome_.integrity.damages[0].sequence);
}

TEST_F(Gaps, AWholeFileOfOtherBytesIsDamage) {
  Replace(1, "these are not the bytes that you are looking for");
  ExpectGap(OnlyGap(), Gap::Cause::kRotatedAwayOrDamaged, 0, 2);
  EXPECT_FALSE(outcome_.integrity.intact());
}

TEST_F(Gaps, ZerosAreNamed) {
  Replace(3, Bytes(3).substr(0, Offset(3, 2)) + std::string(5000, '\0'));
  outcome_ = ReadAll({folder_});
  EXPECT_FALSE(outcome_.integrity.closed_in_order);
  ASSERT_EQ(outcome_.integrity.damages.size(), 1u);
  EXPECT_EQ(outcome_.integrity.damages[0].cause, Damage::Cause::kZeros);
  EXPECT_EQ(outcome_.integrity.damages[0].bytes, 5000u);
}

TEST_F(Gaps, ATornLastSegmentIsATruncation) {
  Replace(3, Bytes(3).substr(0, Offset(3, 2) + 100));
  ExpectGap(OnlyGap(), Gap::Cause::kDamaged, 7, 1);
  EXPECT_FALSE(outcome_.integrity.closed_in_order);
  ASSERT_EQ(outcome_.integrity.damages.size(), 1u);
  EXPECT_EQ(outcome_.integrity.damages[0].cause, Damage::Cause::kTruncated);
  EXPECT_EQ(outcome_.integrity.damages[0].bytes, 100u);
}

TEST_F(Gaps, WhatWasNeverWrittenIsNoDamage) {
  RecordingBuilder builder;
  const Recording start = ParseText("packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }");
  builder.AddSegment(start);
  builder.SkipSegments(4);
  builder.NextFile();
  builder.AddSegment(start, SegmentKind::kLast);
  std::filesystem::remove_all(folder_);
  builder.WriteFolder(folder_);
  ExpectGap(OnlyGap(), Gap::Cause::kNotWritten, 1, 4);
  EXPECT_EQ(outcome_.integrity.damage_count, 0u);
  EXPECT_FALSE(outcome_.integrity.intact());
}

TEST_F(Gaps, FilesInAnyOrderAndTwiceAreReadOnce) {
  const ReadOutcome truth = ReadAll({folder_});
  const ReadOutcome outcome = ReadAll({File(3), folder_, File(1)});
  EXPECT_EQ(outcome.segments, truth.segments);
  EXPECT_EQ(outcome.integrity.duplicate_segments, 5u);
  EXPECT_TRUE(outcome.integrity.intact());
}

TEST_F(Gaps, ADamagedFileIsHealedByACopy) {
  const ReadOutcome truth = ReadAll({folder_});
  const std::string copy = dir_ / "copy.hsr";
  WriteFile(copy, Bytes(2));
  std::string bytes = Bytes(2);
  bytes[Offset(2, 1) + kSegmentHeaderBytes + 20] ^= 1;
  Replace(2, bytes);
  const ReadOutcome outcome = ReadAll({folder_, copy});
  EXPECT_EQ(outcome.segments, truth.segments);
  EXPECT_TRUE(outcome.integrity.gaps.empty());
}

TEST_F(Gaps, OtherContentsUnderTheSameNumberAreAConflict) {
  RecordingBuilder other;
  other.AddText("packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }");
  const std::string path = dir_ / "other.hsr";
  WriteFile(path, other.files()[0]);
  const ReadOutcome outcome = ReadAll({folder_, path});
  ASSERT_EQ(outcome.integrity.damages.size(), 1u);
  EXPECT_EQ(outcome.integrity.damages[0].cause, Damage::Cause::kConflict);
}

TEST(MissingHeaps, AreTheOnesThatTheEventsReport) {
  const TempDir dir;
  const std::string folder = dir / "shop-1.hindsight";
  RecordingBuilder recording;
  recording.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 2 } }
      packet { process { pid: 1 } }
      packet { heap_files { number: 1 } }
      packet { segment_start { monotonic_ns: 5 unix_ns: 6 } }
      packet { heap_files { number: 2 number: 3 } }
      packet { recording_end { reason: STOPPED } })");
  recording.WriteFolder(folder);
  HeapFile heap(2);
  heap.AddTables(ParseText("packet { heap_snapshot { number: 2 } }"));
  WriteFile(folder + "/" + heap.name(), heap.bytes());
  ReadOutcome outcome = ReadAll({folder});
  ASSERT_FALSE(outcome.error);
  EXPECT_EQ(outcome.integrity.missing_heaps, (std::vector<uint32_t>{3}));
  EXPECT_NE(LossSentence(outcome.integrity).find("heap snapshot 3 is missing"), std::string::npos);
  EXPECT_TRUE(outcome.integrity.intact()) << "of the events nothing is missing";
  // A single file does not stand for the folder.
  EXPECT_TRUE(ReadAll({folder + "/000001.hsr"}).integrity.missing_heaps.empty());
  // A snapshot in progress may have replaced others.
  HeapFile newer(4);
  newer.AddTables(ParseText("packet { heap_snapshot { number: 4 } }"));
  WriteFile(folder + "/" + newer.name(), newer.bytes());
  EXPECT_TRUE(ReadAll({folder}).integrity.missing_heaps.empty());
}

}  // namespace
}  // namespace hindsight::testing
