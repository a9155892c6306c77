#include "recorder/output/segment_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>

#include "tests/unit/recorder/output_test_support.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kMiB = 1u << 20;

class OutputSegmentWriter : public testing::Test {
 protected:
  void Open(uint64_t limit = 256 * kMiB) {
    WriterConfig config = ConfigFor(tmp_.path(), limit);
    config.retry_after_ns = 0;
    Open(config);
  }
  void Open(const WriterConfig& config) {
    std::string why;
    ASSERT_TRUE(writer_.Open(config, &why)) << why;
  }
  ReadResult Read() const {
    ReadResult result = ReadRecording(writer_.path());
    EXPECT_EQ(result.faults, std::vector<std::string>());
    return result;
  }

  TemporaryFolder tmp_;
  SegmentWriter writer_;
};

// While it lives, no file may grow beyond `bytes`; SIGXFSZ would end the process.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

TEST_F(OutputSegmentWriter, WhatIsWrittenIsReadBack) {
  Open();
  for (uint32_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(
        WriteSegment(writer_, i, 1000 * i, i == 9 ? SegmentKind::kLast : SegmentKind::kData));
  }
  EXPECT_TRUE(writer_.Close());
  const ReadResult read = Read();
  ASSERT_EQ(read.segments.size(), 10u);
  EXPECT_EQ(read.torn_bytes, 0u);
  for (uint32_t i = 0; i < 10; ++i) {
    const SegmentHeader& header = read.segments[i].header;
    EXPECT_EQ(header.version, kFormatVersion);
    EXPECT_EQ(header.kind, i == 9 ? SegmentKind::kLast : SegmentKind::kData);
    EXPECT_EQ(header.sequence, i);
    EXPECT_EQ(header.file_number, 1u);
    EXPECT_EQ(header.recording_id, writer_.recording_id());
    EXPECT_EQ(read.segments[i].raw, TestPacket(i, 1000 * i));
  }
}

TEST_F(OutputSegmentWriter, AFileIsARowOfOrdinaryZstdFrames) {
  Open();
  std::string expected;
  for (uint32_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(WriteSegment(writer_, i, 5000));
    expected += TestPacket(i, 5000);
  }
  const std::string file = ReadFile(writer_.path() + "/000001.hsr");
  std::string all(expected.size() + 1, 0);
  ASSERT_EQ(ZSTD_decompress(all.data(), all.size(), file.data(), file.size()), expected.size());
  all.resize(expected.size());
  EXPECT_EQ(all, expected);
  // Frame header descriptor: single segment (content size present), no checksum, no dictionary id.
  EXPECT_EQ(static_cast<uint8_t>(file[kSegmentHeaderBytes + 4]) & 0x27, 0x20);
}

TEST_F(OutputSegmentWriter, CompressesWhatRepeats) {
  Open();
  bool new_file = false;
  writer_.BeginSegment(&new_file);
  const std::string packet = TestPacket(1, 100);
  while (writer_.raw_bytes() < kTargetSegmentRawBytes) ASSERT_TRUE(writer_.Add(Bytes(packet)));
  ASSERT_TRUE(writer_.EndSegment(SegmentKind::kData));
  EXPECT_LT(writer_.stats().written_bytes, kTargetSegmentRawBytes / 100);
  EXPECT_EQ(static_cast<size_t>(Read().segments[0].recording.packet_size()) * packet.size(),
            Read().segments[0].raw.size());
}

TEST_F(OutputSegmentWriter, StoresWhatCompressionExpands) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 1, kMaxPacketBytes));
  const ReadResult read = Read();
  EXPECT_GT(read.segments[0].header.compressed_bytes, read.segments[0].header.raw_bytes);
  EXPECT_EQ(read.segments[0].raw, TestPacket(1, kMaxPacketBytes));
}

TEST_F(OutputSegmentWriter, TakesOneLargestPacketBeyondTheTargetAndNoMoreThanItsCapacity) {
  Open();
  bool new_file = false;
  writer_.BeginSegment(&new_file);
  const std::string almost = TestPacket(1, kTargetSegmentRawBytes - 100);
  ASSERT_LT(almost.size(), kTargetSegmentRawBytes);
  ASSERT_TRUE(writer_.Add(Bytes(almost)));
  const std::string largest = TestPacket(2, kMaxPacketBytes - 100);
  ASSERT_TRUE(writer_.Add(Bytes(largest)));
  const size_t full = writer_.raw_bytes();
  EXPECT_FALSE(writer_.Add(Bytes(largest)));
  EXPECT_FALSE(writer_.Add(Bytes(std::string(SegmentWriter::kCapacityBytes - full + 1, 'x'))));
  EXPECT_EQ(writer_.raw_bytes(), full);
  EXPECT_TRUE(writer_.EndSegment(SegmentKind::kData));
  EXPECT_EQ(Read().segments[0].raw, almost + largest);
}

TEST_F(OutputSegmentWriter, SaysWhenDictionariesStartAnew) {
  Open(4 * kMiB);
  uint32_t files = 0;
  for (uint32_t i = 0; i < 40; ++i) {
    bool new_file = false;
    writer_.BeginSegment(&new_file);
    files += new_file;
    ASSERT_TRUE(writer_.Add(Bytes(TestPacket(files, 200'000))));
    ASSERT_TRUE(writer_.EndSegment(SegmentKind::kData));
    EXPECT_LE(SumOfSizes(writer_.path()), 4 * kMiB);
  }
  EXPECT_EQ(writer_.stats().files_created, files);
  EXPECT_GT(writer_.stats().files_deleted, 0u);
  for (const ReadSegment& segment : Read().segments) {
    EXPECT_EQ(segment.raw, TestPacket(segment.header.file_number, 200'000));
    EXPECT_EQ(segment.file, FileName(segment.header.file_number));
  }
}

TEST_F(OutputSegmentWriter, SurvivesTheFileSizeLimitAndGoesOnBehindIt) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  struct sigaction before {};
  ASSERT_EQ(sigaction(SIGXFSZ, nullptr, &before), 0);
  ASSERT_EQ(before.sa_handler, SIG_DFL);
  StderrCapture capture;
  {
    FileSizeLimit limit(5000);
    EXPECT_FALSE(WriteSegment(writer_, 1, 10'000));  // 4 KB of it fit: torn, and cut back
    EXPECT_TRUE(writer_.is_failing());
    EXPECT_FALSE(WriteSegment(writer_, 2, 10'000));
    EXPECT_TRUE(WriteSegment(writer_, 3, 1000));
  }
  EXPECT_FALSE(writer_.is_failing());
  EXPECT_TRUE(WriteSegment(writer_, 4, 10'000));

  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGXFSZ), 0);

  const ReadResult read = Read();
  EXPECT_EQ(read.torn_bytes, 0u);
  std::vector<uint64_t> sequences;
  for (const ReadSegment& segment : read.segments) sequences.push_back(segment.header.sequence);
  EXPECT_EQ(sequences, (std::vector<uint64_t>{0, 3, 4}));
  EXPECT_EQ(Names(writer_.path()), (std::vector<std::string>{"000001.hsr", "000002.hsr"}));
  EXPECT_EQ(writer_.stats().segments_lost, 2u);
  EXPECT_EQ(writer_.stats().errors, 2u);
  EXPECT_EQ(writer_.stats().raw_bytes_lost, TestPacket(1, 10'000).size() * 2);
  EXPECT_EQ(capture.Text(), "hindsight: cannot write " + writer_.path() +
                                "/000001.hsr: File too large; the recording continues and counts "
                                "the loss: raise limit.disk or the file size limit (ulimit -f)\n");
}

TEST_F(OutputSegmentWriter, ALostSegmentMakesTheNextOneStartANewFile) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  StderrCapture capture;
  {
    FileSizeLimit limit(0);
    ASSERT_FALSE(WriteSegment(writer_, 1, 1000));
  }
  bool new_file = false;
  writer_.BeginSegment(&new_file);
  EXPECT_TRUE(new_file);
  ASSERT_TRUE(writer_.Add(Bytes(TestPacket(2, 10))));
  ASSERT_TRUE(writer_.EndSegment(SegmentKind::kData));
  EXPECT_EQ(Read().segments.back().header.file_number, 2u);
}

TEST_F(OutputSegmentWriter, PausesAfterAFailureButTriesTheLastSegment) {
  WriterConfig config = ConfigFor(tmp_.path());
  config.retry_after_ns = config.retry_after_max_ns = 3'600'000'000'000;
  Open(config);
  StderrCapture capture;
  {
    FileSizeLimit limit(0);
    EXPECT_FALSE(WriteSegment(writer_, 0, 10));
  }
  for (uint32_t i = 1; i < 4; ++i) EXPECT_FALSE(WriteSegment(writer_, i, 10));
  EXPECT_EQ(writer_.stats().errors, 1u) << "tried in the pause";
  EXPECT_EQ(writer_.stats().segments_lost, 4u);
  EXPECT_TRUE(WriteSegment(writer_, 4, 10, SegmentKind::kLast));
  ASSERT_EQ(Read().segments.size(), 1u);
  EXPECT_EQ(Read().segments[0].header.sequence, 4u);
}

TEST_F(OutputSegmentWriter, ResumesByItselfWhenThePauseIsOver) {
  WriterConfig config = ConfigFor(tmp_.path());
  config.retry_after_ns = 50'000'000;
  Open(config);
  StderrCapture capture;
  {
    FileSizeLimit limit(0);
    EXPECT_FALSE(WriteSegment(writer_, 0, 10));
  }
  usleep(60'000);
  EXPECT_TRUE(WriteSegment(writer_, 1, 10));
  EXPECT_FALSE(writer_.last_error().empty()) << "the reason stays known";
}

TEST_F(OutputSegmentWriter, GoesOnInANewFolderWhenItsOwnIsDeleted) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  std::filesystem::remove_all(tmp_.path());
  ASSERT_TRUE(WriteSegment(writer_, 1, 1000)) << writer_.last_error();
  const ReadResult read = Read();
  ASSERT_EQ(read.segments.size(), 1u);
  EXPECT_EQ(read.segments[0].header.sequence, 1u);
  EXPECT_EQ(read.segments[0].header.file_number, 2u);
  EXPECT_EQ(writer_.stats().stored_bytes, SumOfSizes(writer_.path()));
}

TEST_F(OutputSegmentWriter, SaysWhyWhenItsFolderCannotComeBack) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  std::filesystem::remove_all(tmp_.path());
  WriteFile(tmp_.path(), "in the way");
  StderrCapture capture;
  EXPECT_FALSE(WriteSegment(writer_, 1, 1000));
  EXPECT_FALSE(WriteSegment(writer_, 2, 1000));
  const std::string text = capture.Text();
  EXPECT_NE(text.find("it is not a folder"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  std::filesystem::remove(tmp_.path());
  EXPECT_TRUE(WriteSegment(writer_, 3, 1000)) << writer_.last_error();
}

TEST_F(OutputSegmentWriter, SaysThatItsFileWasClosed) {
  Open();
  const int ours = open("/dev/null", O_RDONLY | O_CLOEXEC);  // the number that its file will have
  close(ours);
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  bool is_new_file = false;
  writer_.BeginSegment(&is_new_file);
  ASSERT_FALSE(is_new_file);
  close(ours);
  StderrCapture capture;
  EXPECT_FALSE(writer_.EndSegment(SegmentKind::kData));
  const std::string text = capture.Text();
  EXPECT_NE(text.find("something in this process has closed the file; the recording continues and "
                      "counts the loss: look for code that closes descriptors"),
            std::string::npos)
      << text;
  EXPECT_TRUE(WriteSegment(writer_, 2, 1000)) << writer_.last_error();
}

TEST_F(OutputSegmentWriter, IsSilentWhenStderrIsClosedOrFull) {
  const int saved = dup(STDERR_FILENO);
  int ends[2];
  ASSERT_EQ(pipe2(ends, 0), 0);
  close(ends[0]);  // a write would raise SIGPIPE
  dup2(ends[1], STDERR_FILENO);
  Open();
  {
    FileSizeLimit limit(0);
    EXPECT_FALSE(WriteSegment(writer_, 0, 10));
    close(STDERR_FILENO);
    EXPECT_FALSE(WriteSegment(writer_, 1, 10));
  }
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(ends[1]);
  EXPECT_TRUE(WriteSegment(writer_, 2, 10));
}

TEST_F(OutputSegmentWriter, MemoryIsTakenAtOpenAndGivenBackAtClose) {
  EXPECT_EQ(writer_.stats().memory_bytes, 0u);
  Open();
  const uint64_t memory = writer_.stats().memory_bytes;
  EXPECT_LT(memory, 6 * kMiB);
  for (uint32_t i = 0; i < 20; ++i) ASSERT_TRUE(WriteSegment(writer_, i, 500'000));
  EXPECT_EQ(writer_.stats().memory_bytes, memory);
  writer_.Close();
  EXPECT_LT(writer_.stats().memory_bytes, 4096u);
}

TEST_F(OutputSegmentWriter, RecordsTenTimesInARow) {
  const size_t descriptors = Names("/proc/self/fd").size();
  std::vector<uint64_t> ids;
  for (int i = 0; i < 10; ++i) {
    Open();
    ASSERT_TRUE(WriteSegment(writer_, 0, 1000, SegmentKind::kLast));
    ASSERT_TRUE(writer_.Close());
    const ReadResult read = Read();
    ASSERT_EQ(read.segments.size(), 1u);
    EXPECT_EQ(read.segments[0].header.sequence, 0u);
    ids.push_back(read.segments[0].header.recording_id);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(Names("/proc/self/fd").size(), descriptors);
}

TEST_F(OutputSegmentWriter, AFailedOpenLeavesNothing) {
  WriteFile(tmp_ / "file", "x");
  const size_t descriptors = Names("/proc/self/fd").size();
  std::string why;
  EXPECT_FALSE(writer_.Open(ConfigFor(tmp_ / "file"), &why));
  EXPECT_FALSE(why.empty());
  EXPECT_FALSE(writer_.is_open());
  EXPECT_EQ(Names("/proc/self/fd").size(), descriptors);
  EXPECT_LT(writer_.stats().memory_bytes, 4096u);
}

// What was rotated away can be distinguished from what others have deleted.
TEST_F(OutputSegmentWriter, EverySegmentSaysWhatWasDeleted) {
  Open(4 * kMiB);
  for (uint32_t i = 0; i < 40; ++i) ASSERT_TRUE(WriteSegment(writer_, i, 300'000));
  writer_.Close();
  ASSERT_GT(writer_.stats().files_deleted, 0u);
  const ReadResult read = Read();
  ASSERT_FALSE(read.segments.empty());
  const SegmentHeader& first = read.segments.front().header;
  const SegmentHeader& last = read.segments.back().header;
  EXPECT_EQ(last.oldest_file, first.file_number);
  EXPECT_EQ(last.oldest_sequence, first.sequence);
  EXPECT_FALSE(last.deleted_for_full_disk);
}

TEST_F(OutputSegmentWriter, WhatSomebodyElseDeletedIsNotReportedAsRotated) {
  Open();
  ASSERT_TRUE(WriteSegment(writer_, 0, 1000));
  ASSERT_EQ(unlink((writer_.path() + "/000001.hsr").c_str()), 0);
  ASSERT_TRUE(WriteSegment(writer_, 1, 1000));
  writer_.Close();
  const ReadResult read = Read();
  ASSERT_EQ(read.segments.size(), 1u);
  EXPECT_EQ(read.segments[0].header.file_number, 2u);
  EXPECT_EQ(read.segments[0].header.oldest_file, 1u);
  EXPECT_EQ(read.segments[0].header.oldest_sequence, 0u);
}

}  // namespace
}  // namespace hindsight::recorder
