// Writes that fail, wholly or in part, and what the recording is afterwards.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "tests/fault/output_fault_run.h"

namespace hindsight::recorder {
namespace {

using Faults = std::map<std::string, std::string>;

FaultRun RunToTheEnd(const TemporaryFolder& tmp, const WriterArguments& arguments,
                     const Faults& faults) {
  const FaultRun run = RunWriter(tmp.path(), arguments, faults);
  EXPECT_TRUE(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 0) << run.status;
  CheckRecording(run, arguments);
  return run;
}

std::string Errno(int error) { return std::to_string(error); }

TEST(OutputWriteError, LosesExactlyTheSegmentsWhoseWritesFail) {
  const WriterArguments arguments{.segments = 8, .bytes = 10'000};
  for (const int error : {EIO, ENOSPC, EDQUOT, EROFS, EFBIG}) {
    for (const char* permille : {"0", "2", "600"}) {
      SCOPED_TRACE(Errno(error) + " after " + permille);
      TemporaryFolder tmp;
      const FaultRun run = RunToTheEnd(tmp, arguments,
                                       {{"FAULT", Errno(error)},
                                        {"FAULT_AT", "3"},
                                        {"FAULT_TIMES", "2"},
                                        {"FAULT_PERMILLE", permille}});
      EXPECT_EQ(run.lost, (std::vector<uint64_t>{2, 3}));
      EXPECT_EQ(run.started_anew, (std::vector<uint64_t>{0, 3, 4}));
      EXPECT_EQ(ReadRecording(run.path).torn_bytes, 0u);
      EXPECT_EQ(std::count(run.error_text.begin(), run.error_text.end(), '\n'), 1);
      EXPECT_TRUE(run.error_text.starts_with("hindsight: cannot write " + run.path))
          << run.error_text;
    }
  }
}

TEST(OutputWriteError, ATornSegmentThatCannotBeCutOffEndsItsFile) {
  const WriterArguments arguments{.segments = 8, .bytes = 10'000};
  TemporaryFolder tmp;
  const FaultRun run = RunToTheEnd(tmp, arguments,
                                   {{"FAULT", Errno(EIO)},
                                    {"FAULT_AT", "4"},
                                    {"FAULT_PERMILLE", "500"},
                                    {"FAULT_FTRUNCATE", Errno(EIO)}});
  EXPECT_EQ(run.lost, std::vector<uint64_t>{3});
  const ReadResult read = ReadRecording(run.path);
  EXPECT_GT(read.torn_bytes, 0u);
  EXPECT_EQ(read.segments.size(), 7u);
  EXPECT_EQ(Names(run.path), (std::vector<std::string>{"000001.hsr", "000002.hsr"}));
}

TEST(OutputWriteError, ShortAndInterruptedWritesAreContinued) {
  const WriterArguments arguments{.segments = 8, .bytes = 10'000};
  for (const Faults& faults :
       {Faults{
            {"FAULT", "short"}, {"FAULT_AT", "2"}, {"FAULT_TIMES", "3"}, {"FAULT_PERMILLE", "300"}},
        Faults{{"FAULT", Errno(EINTR)}, {"FAULT_AT", "2"}, {"FAULT_TIMES", "3"}},
        Faults{{"FAULT", Errno(EINTR)}, {"FAULT_AT", "2"}, {"FAULT_PERMILLE", "300"}}}) {
    TemporaryFolder tmp;
    const FaultRun run = RunToTheEnd(tmp, arguments, faults);
    EXPECT_EQ(run.lost, std::vector<uint64_t>());
    EXPECT_EQ(run.error_text, "");
    EXPECT_EQ(ReadRecording(run.path).segments.size(), 8u);
  }
}

TEST(OutputWriteError, AFullDiskTakesTheOldestFileBeforeASegmentIsLost) {
  // Three segments of 400 KB end a file; the eighth write is the second of the third file.
  const WriterArguments arguments{.segments = 10, .bytes = 400'000, .disk_limit_bytes = 8u << 20};
  TemporaryFolder tmp;
  const FaultRun run =
      RunWriter(tmp.path(), arguments,
                {{"FAULT", Errno(ENOSPC)}, {"FAULT_AT", "8"}, {"FAULT_PERMILLE", "500"}});
  EXPECT_EQ(run.lost, std::vector<uint64_t>());
  EXPECT_EQ(run.error_text, "");
  EXPECT_EQ(Names(run.path), (std::vector<std::string>{"000002.hsr", "000003.hsr", "000004.hsr"}));
  const ReadResult read = ReadRecording(run.path);
  EXPECT_EQ(read.faults, std::vector<std::string>());
  EXPECT_EQ(read.torn_bytes, 0u);
  EXPECT_EQ(read.segments.size(), 7u);
}

TEST(OutputWriteError, AnOutageCostsOneOldFileAtMost) {
  const WriterArguments arguments{.segments = 30, .bytes = 400'000, .disk_limit_bytes = 32u << 20};
  TemporaryFolder tmp;
  const FaultRun run =
      RunWriter(tmp.path(), arguments,
                {{"FAULT", Errno(ENOSPC)}, {"FAULT_AT", "11"}, {"FAULT_TIMES", "1000"}});
  EXPECT_EQ(run.written.size(), 10u);
  EXPECT_EQ(run.lost.size(), 20u);
  EXPECT_EQ(std::count(run.error_text.begin(), run.error_text.end(), '\n'), 1);
  EXPECT_EQ(Names(run.path), std::vector<std::string>{"000002.hsr"});
}

}  // namespace
}  // namespace hindsight::recorder
