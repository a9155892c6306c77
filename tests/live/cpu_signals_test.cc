// An application that handles, blocks and waits for signals of its own sees what it sees without
// the recorder, though threads are sampled by a signal. And its handlers of events catch null
// references, though they run on a thread of the recorder.
#include <gtest/gtest.h>

#include <string>

#include "tests/live/harness/application.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr char kOptions[] = "sources=cpu,threads,locks;cpu.hz=1000";

class CpuSignals : public testing::TestWithParam<int> {
 protected:
  // Runs it to its end; returns what it printed.
  std::string Run(EnvironmentVariables environment) const {
    std::vector<std::string> command = CpuSamples(GetParam());
    command.insert(command.end(), {"--end", workspace_ / "end", "OwnSignals"});
    environment.emplace_back("TMPDIR", workspace_.path());
    WriteFile(workspace_ / "end");
    const Ended ended = RunToEnd({.arguments = command, .environment = environment});
    EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
    return ended.output;
  }

  const Workspace workspace_;
};

// One thread of the sample blocks all signals: it is left out, and the recording says so.
void ExpectLeftOut(const std::filesystem::path& output) {
  const auto recordings = RecordingsIn(output);
  ASSERT_EQ(recordings.size(), 1u);
  const CpuRecording recording(recordings.front());
  EXPECT_GT(recording.NsOfThread("Register"), 500'000'000u);
  std::string notes;
  for (const std::string& note : recording.model().facts.notes) notes += note + "\n";
  EXPECT_NE(notes.find("ms of CPU time of 1 thread that blocks the sampling signal"),
            std::string::npos)
      << notes;
}

TEST_P(CpuSignals, AreTheApplicationsOwn) {
  const std::string bare = Run({});
  EXPECT_NE(bare.find("foreign: 0 pending, 0 by signalfd, 0 by sigtimedwait"), std::string::npos)
      << bare;
  EXPECT_EQ(Run(StartUp(workspace_ / "out", kOptions)), bare);
  ExpectLeftOut(workspace_ / "out");
}

TEST_P(CpuSignals, AreTheApplicationsOwnAfterAnAttach) {
  const std::string bare = Run({});
  SampleApplication application(
      {.command = CpuSamples(GetParam()), .arguments = {"OwnSignals"}, .waits_to_go = true});
  application.Attach("cpu,threads,locks", {"cpu.hz=1000"});
  application.Go();
  application.Trigger("stop");
  application.End();
  EXPECT_EQ(application.process().Output(), bare);
  ExpectLeftOut(application.output());
}

INSTANTIATE_TEST_SUITE_P(All, CpuSignals, testing::Values(8, 9, 10));

}  // namespace
}  // namespace hindsight::live
