// Applications published as a single file, whose runtime exports next to nothing: recorded from the
// start and attached to, undisturbed, with exact snapshots after young collections.
#include <gtest/gtest.h>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

class SingleFileTest : public testing::TestWithParam<int> {
 protected:
  static std::string Program() {
    if (GetParam() == 8) return HINDSIGHT_SINGLE_FILE_8;
    return GetParam() == 9 ? HINDSIGHT_SINGLE_FILE_9 : HINDSIGHT_SINGLE_FILE_10;
  }
  // Taken right after a collection that the recorder requested: not at the next one of the
  // application, nor after a full one.
  static void ExpectSnapshot(const SampleApplication& application) {
    const std::filesystem::path file = application.SnapshotFile();
    ASSERT_FALSE(file.empty());
    const auto model = ReadSnapshot(file);
    EXPECT_EQ(Defects(*model), "");
    EXPECT_EQ(model->graph.facts.method, analyzer::HeapFacts::Method::kFork);
    EXPECT_EQ(model->graph.facts.fallback_reason, "");
    EXPECT_EQ(model->graph.facts.monitors_unknown_because, "");
    EXPECT_EQ(Differences(ContentsOf(*model, "GraphShapes"), HeapTruth("GraphShapes").contents()),
              "");
  }
};

TEST_P(SingleFileTest, IsSnapshotAfterAnAttach) {
  SampleApplication application({.command = {Program()}});
  for (int round = 0; round < 2; ++round) ExpectSnapshot(application);
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(SingleFileTest, IsRecordedFromTheStart) {
  const Workspace workspace;
  SampleApplication application(
      {.command = {Program()}, .environment = StartUp(workspace / "out", "sources=all")});
  ExpectSnapshot(application);
  EXPECT_EQ(application.End(), "done\n");
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  const json verdict = HindsightJson("verify", recordings.front());
  EXPECT_EQ(verdict["closed_in_order"], true) << verdict.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Net, SingleFileTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
