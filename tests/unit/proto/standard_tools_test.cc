// A recording is readable with the standard tools alone.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

TEST(StandardTools, ZstdcatAndProtocPrintARecording) {
  const TempDir dir;
  const std::string file = dir / "recording.hsr";
  const RecordingBuilder sample = SampleRecording();
  WriteFile(file, sample.Concatenated());

  const RunResult result = RunProgram({"sh", "-c",
                                "zstdcat \"$1\" | protoc --decode=hindsight.Recording -I \"$2\" "
                                "recording.proto",
                                "sh", file, PROTO_FOLDER});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");

  const Recording decoded = ParseText(result.out);
  int exceptions = 0;
  int starts = 0;
  int ends = 0;
  for (const Packet& packet : decoded.packet()) {
    exceptions += packet.has_exception();
    starts += packet.has_segment_start();
    ends += packet.has_recording_end();
  }
  EXPECT_EQ(exceptions, 24);
  EXPECT_EQ(starts, 8);
  EXPECT_EQ(ends, 1);
}

TEST(StandardTools, ZstdTestsTheFramesOfARecording) {
  const TempDir dir;
  const std::string file = dir / "recording.hsr";
  WriteFile(file, SampleRecording().files()[0]);
  EXPECT_EQ(RunProgram({"sh", "-c", "zstdcat \"$1\" > /dev/null", "sh", file}).exit_code, 0);
}

}  // namespace
}  // namespace hindsight::testing
