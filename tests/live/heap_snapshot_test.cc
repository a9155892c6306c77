// Every object and every reference of the samples is in the snapshot, under its right name, and
// nothing else is; started and attached, on every runtime, with every kind of garbage collector.
#include <gtest/gtest.h>

#include <tuple>

#include "tests/live/harness/heap_snapshot.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

using nlohmann::json;

struct Collector {
  const char* name;
  const char* is_server;
  const char* is_concurrent;
};

constexpr Collector kCollectors[] = {{"Workstation", "0", "0"},
                                     {"WorkstationConcurrent", "0", "1"},
                                     {"Server", "1", "0"},
                                     {"ServerConcurrent", "1", "1"}};

EnvironmentVariables Variables(const Collector& collector) {
  return {{"DOTNET_gcServer", collector.is_server},
          {"DOTNET_gcConcurrent", collector.is_concurrent},
          {"DOTNET_GCHeapCount", "2"}};
}

// ---- GraphShapes --------------------------------------------------------------------------------

using Shape = std::tuple<int, Collector>;

class HeapShapesTest : public testing::TestWithParam<Shape> {
 protected:
  void ExpectTheTruth(const std::filesystem::path& snapshot) {
    ASSERT_FALSE(snapshot.empty());
    const auto model = ReadSnapshot(snapshot);
    EXPECT_EQ(Defects(*model), "");
    EXPECT_EQ(Differences(ContentsOf(*model, "GraphShapes"), truth_.contents()), "");
    const Collector& collector = std::get<1>(GetParam());
    EXPECT_EQ(model->graph.facts.server_gc, collector.is_server[0] == '1');
    // A collection and a look at the threads come before it.
    EXPECT_GE(model->graph.facts.pauses, 2u);
    EXPECT_GT(model->graph.facts.all_pauses_ns, model->graph.facts.pause_ns);
    EXPECT_EQ(model->graph.facts.concurrent_gc, collector.is_concurrent[0] == '1');
  }

  const HeapTruth truth_{"GraphShapes"};
};

TEST_P(HeapShapesTest, AreRightAfterAnAttach) {
  const auto& [runtime, collector] = GetParam();
  HeapApplication application(runtime, "GraphShapes", {}, Variables(collector));
  ExpectTheTruth(application.SnapshotFile());
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(HeapShapesTest, AreRightFromTheStart) {
  const auto& [runtime, collector] = GetParam();
  const Workspace workspace;
  EnvironmentVariables variables = StartUp(workspace / "out", "sources=heap,gc,exceptions");
  for (const auto& variable : Variables(collector)) variables.push_back(variable);
  HeapApplication application(runtime, "GraphShapes", {}, variables);
  ExpectTheTruth(application.SnapshotFile());
  EXPECT_EQ(application.End(), "done\n");
}

// Recordings with the default sources, for which no snapshots were planned.
TEST_P(HeapShapesTest, AreRightWhereTheyJoinARecordingFromTheStart) {
  const auto& [runtime, collector] = GetParam();
  const Workspace workspace;
  EnvironmentVariables variables = StartUp(workspace / "out");
  for (const auto& variable : Variables(collector)) variables.push_back(variable);
  HeapApplication application(runtime, "GraphShapes", {}, variables);
  for (int round = 0; round < 2; ++round) {
    const std::filesystem::path snapshot = application.SnapshotFile();
    ExpectTheTruth(snapshot);
    EXPECT_EQ(snapshot.parent_path().parent_path(), workspace / "out");
  }
  EXPECT_EQ(application.End(), "done\n");
  const std::vector<std::filesystem::path> recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  EXPECT_TRUE(Hindsight("verify", recordings[0]).Succeeded());
}

TEST_P(HeapShapesTest, AreRightWhereTheyJoinARecordingThatWasAttached) {
  const auto& [runtime, collector] = GetParam();
  HeapApplication application(runtime, "GraphShapes", {}, Variables(collector));
  application.Trigger(
      "attach", {"--profiler", HINDSIGHT_RECORDER, "--output", application.output().string()});
  for (int round = 0; round < 2; ++round) ExpectTheTruth(application.SnapshotFile());
  application.Trigger("stop");
  ExpectTheTruth(application.SnapshotFile());  // by a recorder of its own, now
  EXPECT_EQ(application.End(), "done\n");
  EXPECT_EQ(RecordingsIn(application.output()).size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(Net, HeapShapesTest,
                         testing::Combine(testing::ValuesIn(kRuntimes),
                                          testing::ValuesIn(kCollectors)),
                         [](const testing::TestParamInfo<Shape>& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  std::get<1>(info.param).name;
                         });

// ---- Leaks, and a heap without ------------------------------------------------------------------

class HeapSamplesTest : public testing::TestWithParam<int> {};

std::vector<HeapEdge> Owner(const json& suspect) {
  std::vector<HeapEdge> owner;
  for (const json& edge : suspect.at("owner")) {
    owner.push_back({edge.at(0), edge.at(1), edge.at(2)});
  }
  return owner;
}

// Each accumulation in the truth is a suspect of the right kind, with its number and its owner.
void ExpectSuspects(const HeapTruth& truth, const std::filesystem::path& snapshot) {
  const json report = HindsightJson("leaks", snapshot);
  const json& suspects = report.at("suspects");
  if (truth.leak().empty()) {
    EXPECT_TRUE(suspects.empty()) << suspects;
    return;
  }
  ASSERT_FALSE(suspects.empty()) << report;
  EXPECT_EQ(suspects.front().at("kind"), truth.leak()) << suspects;
  for (const std::vector<HeapEdge>& owner : truth.owners()) {
    bool is_found = false;
    for (const json& suspect : suspects) {
      if (suspect.at("kind") != truth.leak() || Owner(suspect) != owner) continue;
      is_found = true;
      EXPECT_EQ(suspect.at("type"), owner.back().to);
      EXPECT_EQ(suspect.at("count"), truth.contents().types.at(owner.back().to));
    }
    EXPECT_TRUE(is_found) << owner.back().to << " is not among " << suspects;
  }
  for (const auto& [root, count] : truth.roots()) {
    bool is_found = false;
    for (const json& suspect : suspects) {
      is_found |= suspect.at("kind") == truth.leak() && suspect.at("type") == root.second &&
                  suspect.at("count") == count;
    }
    EXPECT_TRUE(is_found) << root.second << " is not among " << suspects;
  }
}

TEST_P(HeapSamplesTest, AreAsTheirTruthSaysAndLeaksAreFound) {
  for (const std::string& sample : kHeapSamples) {
    if (sample == "GraphShapes") continue;
    SCOPED_TRACE(sample);
    const HeapTruth truth(sample);
    HeapApplication application(GetParam(), sample, truth.arguments());
    const std::filesystem::path snapshot = application.SnapshotFile();
    ASSERT_FALSE(snapshot.empty());
    const auto model = ReadSnapshot(snapshot);
    EXPECT_EQ(Defects(*model), "");
    // What the healthy sample has just dropped may still be on a stack; in the others everything
    // stays.
    if (sample != "Healthy") {
      EXPECT_EQ(Differences(ContentsOf(*model, sample), truth.contents()), "");
    }
    EXPECT_EQ(HandlesOf(*model, sample), truth.roots());
    if (sample != "BigHeap") ExpectSuspects(truth, snapshot);
    EXPECT_EQ(application.End(), "done\n");
  }
}

INSTANTIATE_TEST_SUITE_P(Net, HeapSamplesTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
