#include "analyzer/reader/recording_reader.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/reading.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

using analyzer::PacketContext;

class RecordingTest : public ::testing::Test {
 protected:
  analyzer::Recording Open(const std::string& bytes) {
    WriteFile(path_, bytes);
    analyzer::Result<analyzer::Recording> recording = analyzer::Recording::Open({{path_}});
    EXPECT_TRUE(recording) << (recording ? "" : recording.error().sentence);
    return std::move(recording).value();
  }

  static std::vector<PacketContext> Contexts(analyzer::Recording& recording) {
    std::vector<PacketContext> contexts;
    EXPECT_TRUE(recording.ForEachPacket(
        [&](const PacketContext& context, const Packet&) { contexts.push_back(context); }));
    return contexts;
  }

  const TempDir dir_;
  const std::string path_ = dir_ / "file.hsr";
};

TEST_F(RecordingTest, TimesAreSumsOfDeltas) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1000 unix_ns: 500000 } }
      packet { time_delta_ns: 10 loss {} }
      packet { string { id: 1 } }
      packet { time_delta_ns: -3 loss {} })");
  analyzer::Recording recording = Open(builder.files()[0]);
  const std::vector<PacketContext> contexts = Contexts(recording);
  ASSERT_EQ(contexts.size(), 4u);
  const std::vector<uint64_t> expected = {1000, 1010, 1010, 1007};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(contexts[i].monotonic_ns, expected[i]);
    EXPECT_EQ(contexts[i].unix_ns, expected[i] + 499000);
  }
  EXPECT_EQ(recording.integrity().first_unix_ns, 500000u);
  EXPECT_EQ(recording.integrity().last_unix_ns, 500010u);
}

TEST_F(RecordingTest, ExceptionIdsStartAnewInEachSegment) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { exception { id_delta: 7 } }
      packet { exception {} }
      packet { exception { id_delta: -4 } }
      packet { segment_start { monotonic_ns: 2 unix_ns: 2 } }
      packet { exception { id_delta: 9 } })");
  analyzer::Recording recording = Open(builder.files()[0]);
  std::vector<uint64_t> ids;
  for (const PacketContext& context : Contexts(recording)) ids.push_back(context.exception_id);
  EXPECT_EQ(ids, (std::vector<uint64_t>{0, 7, 8, 5, 0, 9}));
}

TEST_F(RecordingTest, DictionariesStartAnewWithEachFileOfAConcatenation) {
  analyzer::Recording recording = Open(SampleRecording().Concatenated());
  std::vector<uint32_t> ordinals(8);
  for (const PacketContext& context : Contexts(recording)) {
    ordinals[context.sequence] = context.file_ordinal;
    EXPECT_FALSE(context.dictionary_gap);
  }
  EXPECT_EQ(ordinals, (std::vector<uint32_t>{0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST_F(RecordingTest, ALostSegmentLeavesAGapInTheDictionariesOfItsFileOnly) {
  const RecordingBuilder sample = SampleRecording();
  std::string middle = sample.files()[1];
  middle[kSegmentHeaderBytes + 20] ^= 1;  // segment 2, the first of its file
  analyzer::Recording recording = Open(sample.files()[0] + middle + sample.files()[2]);
  for (const PacketContext& context : Contexts(recording)) {
    EXPECT_NE(context.sequence, 2u);
    EXPECT_EQ(context.dictionary_gap, context.sequence == 3 || context.sequence == 4)
        << context.sequence;
  }
}

TEST_F(RecordingTest, MayBeReadAgainAndDeliversTheSame) {
  std::string bytes = SampleRecording().Concatenated();
  bytes[kSegmentHeaderBytes + 20] ^= 1;
  analyzer::Recording recording = Open(bytes);
  std::vector<std::string> passes[2];
  for (std::vector<std::string>& pass : passes) {
    ASSERT_TRUE(recording.ForEachPacket([&](const PacketContext&, const Packet& packet) {
      pass.push_back(packet.SerializeAsString());
    }));
    EXPECT_EQ(recording.integrity().damage_count, 1u);
  }
  EXPECT_FALSE(passes[0].empty());
  EXPECT_EQ(passes[0], passes[1]);
}

TEST_F(RecordingTest, AFileThatChangesAfterOpenIsNotBelieved) {
  const RecordingBuilder sample = SampleRecording();
  std::string bytes = sample.Concatenated();
  analyzer::Recording recording = Open(bytes);
  bytes[kSegmentHeaderBytes + 20] ^= 1;
  WriteFile(path_, bytes.substr(0, bytes.size() - 1));
  std::vector<bool> seen(8);
  for (const PacketContext& context : Contexts(recording)) seen[context.sequence] = true;
  EXPECT_EQ(seen, (std::vector<bool>{false, true, true, true, true, true, true, false}));
  EXPECT_EQ(recording.integrity().lost_segments(), 2u);
}

TEST_F(RecordingTest, AFileThatDisappearsAfterOpenIsALoss) {
  analyzer::Recording recording = Open(SampleRecording().Concatenated());
  std::filesystem::remove(path_);
  const analyzer::Result<void> read =
      recording.ForEachPacket([](const PacketContext&, const Packet&) {});
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().sentence.find("disappeared"), std::string::npos);
}

TEST_F(RecordingTest, AnExceptionOfTheCallbackEndsTheReading) {
  analyzer::Recording recording = Open(SampleRecording().Concatenated());
  const auto read = [&] {
    return recording.ForEachPacket(
        [](const PacketContext&, const Packet&) { throw std::runtime_error("enough"); });
  };
  EXPECT_THROW(static_cast<void>(read()), std::runtime_error);
}

TEST_F(RecordingTest, RotationWhileItIsReadIsNoDamage) {
  const std::string folder = dir_ / "shop-1.hindsight";
  SampleRecording().WriteFolder(folder);
  // Like a directory listing that names a file which is gone when it is opened.
  std::filesystem::remove(folder + "/000001.hsr");
  std::filesystem::create_symlink(folder + "/gone", folder + "/000001.hsr");
  const ReadOutcome outcome = ReadAll({folder});
  ASSERT_FALSE(outcome.error);
  EXPECT_TRUE(outcome.integrity.intact());
}

}  // namespace
}  // namespace hindsight::testing
