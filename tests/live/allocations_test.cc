// AllocationHot's bytes and counts by type and path are within what the estimator allows.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/live/harness/allocation_truth.h"
#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

std::vector<std::string> AllocationHot(int runtime) {
  if (runtime == 8) return {HINDSIGHT_ALLOCATION_HOT_8};
  if (runtime == 9) return {HINDSIGHT_ALLOCATION_HOT_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_ALLOCATION_HOT_10};
}

class AllocationsTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  // A recording of AllocationHot, from before it begins.
  RawRecording Record(const std::vector<std::string>& arguments) const {
    const auto [runtime, attached] = GetParam();
    const Workspace out;
    SampleApplication application(
        {.command = AllocationHot(runtime),
         .arguments = arguments,
         .environment =
             attached ? EnvironmentVariables{} : StartUp(out.path(), "sources=allocations,gc"),
         .waits_to_go = true});
    if (attached) application.Attach("allocations,gc");
    const std::filesystem::path recording =
        WhenListening(attached ? application.output() : out.path());
    EXPECT_FALSE(recording.empty());
    application.Go();
    application.Trigger("stop");
    EXPECT_EQ(application.End(), "done\n");
    return RawRecording(recording);
  }
};

TEST_P(AllocationsTest, BytesByTypeAndPathAreRight) {
  EXPECT_EQ(AllocationDifferences(Record({}), std::get<0>(GetParam())), "");
}

// While the program makes and drops dynamic methods, nothing else loses its name.
TEST_P(AllocationsTest, NamesOutliveUnloadedMethods) {
  const RawRecording recording = Record({"--drop-methods", "4"});
  EXPECT_EQ(AllocationDifferences(recording, std::get<0>(GetParam())), "");
}

INSTANTIATE_TEST_SUITE_P(Net, AllocationsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

}  // namespace
}  // namespace hindsight::live
