// The truth about the samples' heaps, tested without a recorder: compared with what the programs
// see of themselves through reflection.
#include <gtest/gtest.h>

#include "tests/live/harness/heap_truth.h"
#include "tests/live/harness/process.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

// The owners' paths lead through types of the framework, which differ between versions.
void ExpectOwners(const HeapTruth& truth, const std::map<HeapEdge, uint64_t>& edges) {
  for (const std::vector<HeapEdge>& owner : truth.owners()) {
    for (size_t i = 0; i < owner.size(); ++i) {
      if (i > 0) {
        EXPECT_EQ(owner[i].from, owner[i - 1].to);
      }
      if (owner[i].from == "thread static") continue;  // another thread's
      EXPECT_TRUE(edges.contains(owner[i])) << owner[i].from << owner[i].field;
    }
  }
}

class HeapTruthTest : public testing::TestWithParam<int> {};

TEST_P(HeapTruthTest, AgreesWithWhatReflectionShowsTheProgram) {
  for (const std::string& sample : kHeapSamples) {
    SCOPED_TRACE(sample);
    const Workspace workspace;
    const HeapTruth truth(sample);
    const std::filesystem::path log = workspace / "log";
    WriteFile(workspace / "end");
    std::vector<std::string> arguments = truth.arguments();
    const std::string end = workspace / "end";
    arguments.insert(arguments.end(), {"--end", end, "--self-log", log.string()});
    const Ended ended = RunToEnd({.arguments = HeapSample(GetParam(), sample, arguments)});
    ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
    EXPECT_EQ(ended.output, "ready\ndone\n");
    EXPECT_EQ(Differences(ReadGraphLog(log, sample), truth.SeenByReflection()), "");
    ExpectOwners(truth, AllEdgesOfLog(log));
  }
}

INSTANTIATE_TEST_SUITE_P(Net, HeapTruthTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
