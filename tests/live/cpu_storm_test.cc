// The signal handler under extreme conditions: 1000 signals per second of CPU time, in 64 threads
// that throw, call native code, collect and end.
//
// HINDSIGHT_STORM_SECONDS makes it longer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "tests/live/harness/application.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr int kSeconds = 10;

int StormSeconds() {
  const char* seconds = getenv("HINDSIGHT_STORM_SECONDS");
  return seconds != nullptr ? std::atoi(seconds) : kSeconds;
}

class CpuStorm : public testing::TestWithParam<int> {};

TEST_P(CpuStorm, DisturbsNothing) {
  const Workspace workspace;
  const int seconds = StormSeconds();
  std::vector<std::string> command = CpuSamples(GetParam());
  command.insert(command.end(), {"--end", workspace / "end", "ManyThreads", "--threads", "64",
                                 "--storm", std::to_string(seconds)});
  EnvironmentVariables environment =
      StartUp(workspace / "out", "sources=cpu,exceptions,threads,modules,gc;cpu.hz=1000");
  environment.emplace_back("TMPDIR", workspace.path());
  WriteFile(workspace / "end");
  const Ended ended = RunToEnd({.arguments = command, .environment = environment},
                               std::chrono::seconds(seconds) + kDeadline);
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  EXPECT_EQ(ended.output, "started\nready\ndone\n");
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  const CpuRecording recording(recordings.front());
  EXPECT_EQ(recording.model().facts.end, analyzer::EndReason::kProcessExit);
  // One per sample: how many there are depends on how many processors are free.
  EXPECT_GT(recording.stacks().size(), 100u);
  RecordProperty("samples", static_cast<int>(recording.model().samples.cpu.count));
  RecordProperty("rooted_permille", static_cast<int>(1000 * recording.RootedShare(false)));
  RecordProperty("lost", static_cast<int>(recording.model().losses.DroppedEvents()));
  if (seconds > kSeconds) {
    std::cout << "long: Net" << GetParam() << ": a storm of " << seconds << " s, "
              << recording.model().samples.cpu.count << " samples, "
              << recording.model().losses.DroppedEvents() << " events dropped" << std::endl;
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuStorm, testing::ValuesIn(kRuntimes));

// If libc has no static room left for thread-local variables, a first read of one allocates.
class CpuHandler : public testing::TestWithParam<const char*> {};

TEST_P(CpuHandler, NeitherAllocatesNorLocks) {
  const Workspace workspace;
  const std::filesystem::path report = workspace / "report";
  std::vector<std::string> command = CpuSamples(10);
  command.insert(command.end(),
                 {"--end", workspace / "end", "ManyThreads", "--threads", "16", "--storm", "5"});
  EnvironmentVariables environment =
      StartUp(workspace / "out", "sources=cpu,exceptions,threads,modules;cpu.hz=1000");
  environment.emplace_back("TMPDIR", workspace.path());
  environment.emplace_back("LD_PRELOAD", HINDSIGHT_HANDLER_GUARD);
  environment.emplace_back("HANDLER_GUARD_REPORT", report);
  environment.emplace_back("GLIBC_TUNABLES", GetParam());
  WriteFile(workspace / "end");
  const Ended ended = RunToEnd({.arguments = command, .environment = environment});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  EXPECT_GT(std::strtoull(ReadFile(report).c_str(), nullptr, 10), 100u) << "handlers were watched";
}

INSTANTIATE_TEST_SUITE_P(All, CpuHandler, testing::Values("", "glibc.rtld.optional_static_tls=0"),
                         [](const auto& test) {
                           return std::string(*test.param == 0 ? "AsUsual" : "WithoutStaticRoom");
                         });

}  // namespace
}  // namespace hindsight::live
