// All sources about waits in busy processes: the processes are not disturbed, nothing is lost, and
// there are no false findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/live/harness/sample.h"
#include "tests/live/harness/wait_recording.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;

int Repeats() {
  const char* text = std::getenv("HINDSIGHT_LIVE_REPEATS");
  return text == nullptr ? 5 : std::atoi(text);
}

std::vector<WaitCase> Healthy() {
  return {WaitCaseOf("Stress", "healthy"), WaitCaseOf("Contention", "busy"),
          WaitCaseOf("SlowButAlive", "healthy")};
}

class WaitReliabilityTest : public testing::TestWithParam<int> {};

TEST_P(WaitReliabilityTest, TheRecorderComesAndGoesWithAllSources) {
  const int rounds = std::min(Repeats(), 20);
  SampleApplication application({.command = WaitSamples(GetParam()),
                                 .arguments = Together(Healthy()),
                                 .environment = {{"DOTNET_gcConcurrent", "0"}}});
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    application.Attach("all", {"locks.task_waits=on", "waits.every=1s"});
    const fs::path snapshot = application.SnapshotFile();
    application.Trigger("stop");
    ASSERT_FALSE(HasFailure());
    EXPECT_EQ(DeadlocksIn(HindsightJson("deadlocks", snapshot)), Texts{});
  }
  const std::vector<fs::path> recordings = RecordingsIn(application.output());
  EXPECT_EQ(recordings.size(), static_cast<size_t>(rounds));
  for (const fs::path& recording : recordings) {
    const Ended verified = Hindsight("verify", recording);
    EXPECT_TRUE(verified.Succeeded()) << verified.Describe();
  }
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, WaitReliabilityTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

TEST(WaitStressTest, NoSnapshotOfAHealthyProcessHasADeadlock) {
  constexpr int kSnapshotsEach = 10;  // 2000 with the most repeats
  WaitRecording recording(10, Mode::kFromStart, {WaitCaseOf("Stress", "healthy")});
  const int snapshots = kSnapshotsEach * Repeats();
  for (int i = 0; i < snapshots; ++i) {
    const fs::path snapshot = recording.application().SnapshotFile();
    ASSERT_FALSE(snapshot.empty()) << i;
    ASSERT_EQ(DeadlocksIn(HindsightJson("deadlocks", snapshot)), Texts{}) << i << ": " << snapshot;
  }
  recording.End();
}

}  // namespace
}  // namespace hindsight::live
