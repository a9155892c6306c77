// A library in Go, in a process that is sampled: a goroutine's stack has no room for a signal.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/live/harness/application.h"
#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

constexpr char kSources[] = "cpu,threads,modules";

class CpuGo : public testing::TestWithParam<std::tuple<int, bool>> {};

// If the recorder is loaded after Go's runtime, it must meet Go's requirements for handlers.
TEST_P(CpuGo, GoroutinesKeepTheirStacks) {
  const auto& [runtime, attached] = GetParam();
  const Workspace workspace;
  std::filesystem::path output = workspace / "out";
  const std::filesystem::path then = workspace / "then";
  SampleApplication::Start start{
      .command = CpuSamples(runtime),
      .arguments = {"ManyThreads", "--library", HINDSIGHT_GO_LIBRARY, "--threads", "4"},
      .waits_to_go = true};
  if (attached) {
    start.arguments.insert(start.arguments.end(), {"--then", then});
  } else {
    start.environment = StartUp(output, std::string("sources=") + kSources + ";cpu.hz=1000");
  }
  SampleApplication application(std::move(start));
  if (attached) {
    WriteFile(application.folder() / "go");
    ASSERT_TRUE(application.process().WaitForOutput("loaded")) << application.process().Errors();
    output = application.output();
    application.Attach(kSources, {"cpu.hz=1000"});
    WriteFile(then);
  }
  application.Go();
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
  const std::vector<std::filesystem::path> recordings = RecordingsIn(output);
  ASSERT_EQ(recordings.size(), 1u);
  const CpuRecording recording(recordings.front());
  EXPECT_GT(std::ranges::count_if(recording.stacks(),
                                  [](const CpuStack& stack) { return stack.Has("!main.descend"); }),
            20);
}

INSTANTIATE_TEST_SUITE_P(All, CpuGo, testing::Combine(testing::Values(8, 9, 10), testing::Bool()),
                         [](const auto& one) {
                           return std::to_string(std::get<0>(one.param)) +
                                  (std::get<1>(one.param) ? "Attached" : "FromTheStart");
                         });

}  // namespace
}  // namespace hindsight::live
