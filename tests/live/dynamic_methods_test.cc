// Methods that the JIT inlines into dynamic methods have no frames of their own, and the runtime's
// walk of another thread leaves dynamic methods out: both are in the stacks nevertheless.
#include <gtest/gtest.h>

#include "tests/live/harness/application.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

class DynamicMethodsTest : public testing::TestWithParam<int> {
 protected:
  // The wait in a thread snapshot, as well as the CPU time.
  static void ExpectInlined(const std::filesystem::path& recording) {
    const json threads = HindsightJson("threads", recording, {"--frames", "0"});
    EXPECT_NE(threads.dump().find("CompiledCalls.Counter.Take"), std::string::npos)
        << threads.dump(1);
    const json cpu = HindsightJson("cpu", recording);
    EXPECT_NE(cpu.dump().find("CompiledCalls.Counter.Spin"), std::string::npos) << cpu.dump(1);
  }
};

TEST_P(DynamicMethodsTest, ShowWhatIsInlinedThereFromTheStart) {
  const Workspace workspace;
  SampleApplication application(
      {.command = WaitSamples(GetParam()),
       .arguments = {"CompiledCalls"},
       .environment = StartUp(workspace / "out", "sources=waits,cpu;cpu.hz=1000")});
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  ExpectInlined(recordings.front());
}

// If they are compiled afterwards.
TEST_P(DynamicMethodsTest, ShowWhatIsInlinedThereAfterAnAttach) {
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = {"CompiledCalls"}, .waits_to_go = true});
  application.Attach("waits,cpu", {"cpu.hz=1000"});
  application.Go();
  application.Trigger("stop");
  const auto recordings = RecordingsIn(application.output());
  ASSERT_EQ(recordings.size(), 1u);
  ExpectInlined(recordings.front());
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, DynamicMethodsTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
