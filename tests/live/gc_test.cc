// What a recording says about collections is what the runtime itself reports afterwards: how many
// of which generation, how long the application was paused, sizes to the byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

std::vector<std::string> GcPressure(int runtime) {
  if (runtime == 8) return {HINDSIGHT_GC_PRESSURE_8};
  if (runtime == 9) return {HINDSIGHT_GC_PRESSURE_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_GC_PRESSURE_10};
}

bool IsOfSample(const RawCollectCall& call) {
  const auto calls = std::ranges::find_if(
      call.stack, [](const std::string& method) { return method == "System.GC.Collect"; });
  return calls != call.stack.end() && std::any_of(calls, call.stack.end(), [](auto& method) {
           return method.starts_with("GcPressure.Program");
         });
}

// The runtime, and whether the recorder is attached.
class GcTest : public testing::TestWithParam<std::tuple<int, bool>> {
 protected:
  // Runs the sample, and returns the recording's folder. `option`: one besides, if not empty.
  std::filesystem::path Run(const std::string& sources, std::vector<std::string> arguments,
                            EnvironmentVariables environment, const std::string& option) const {
    const auto [runtime, attached] = GetParam();
    std::vector<std::string> options;
    if (!option.empty()) options.push_back(option);
    if (!attached) {
      const std::string start = "sources=" + sources + (option.empty() ? "" : ";" + option);
      for (auto& variable : StartUp(out_.path(), start)) environment.push_back(std::move(variable));
    }
    SampleApplication application({.command = GcPressure(runtime),
                                   .arguments = std::move(arguments),
                                   .environment = std::move(environment),
                                   .waits_to_go = true});
    if (attached) application.Attach(sources, options);
    const std::filesystem::path recording =
        WhenListening(attached ? application.output() : out_.path());
    application.Go();
    application.Trigger("stop");
    EXPECT_EQ(application.End(), "done\n");
    if (!attached) return recording;
    // The application's own folder goes with it.
    const std::filesystem::path kept = out_ / recording.filename().string();
    std::filesystem::copy(recording, kept, std::filesystem::copy_options::recursive);
    return kept;
  }
  RawRecording Record(const std::string& sources, std::vector<std::string> arguments,
                      EnvironmentVariables environment) const {
    RawRecording raw(Run(sources, std::move(arguments), std::move(environment), ""));
    EXPECT_EQ(raw.lost, 0u);
    return raw;
  }

  const Workspace out_;
};

TEST_P(GcTest, CollectionsAreThoseThatTheRuntimeReports) {
  const std::filesystem::path log = out_ / "said.json";
  const RawRecording raw = Record("gc,locks", {"--self-log", log.string()}, {});
  const nlohmann::json said = nlohmann::json::parse(std::ifstream(log));
  uint64_t counts[3] = {}, induced = 0, background = 0;
  const GarbageCollection* full = nullptr;
  for (const GarbageCollection& collection : raw.collections) {
    ASSERT_NE(collection.runtime_number(), 0u) << collection.DebugString();
    if (collection.runtime_number() <= said.at("first_index") ||
        collection.runtime_number() > said.at("last_index")) {
      continue;
    }
    for (uint32_t i = 0; i <= collection.generation(); ++i) ++counts[i];
    induced += collection.induced();
    background += collection.type() == GarbageCollection::BACKGROUND;
    if (collection.runtime_number() == said.at("full_index")) full = &collection;
    if (collection.type() != GarbageCollection::BACKGROUND) {
      EXPECT_NE(collection.committed_bytes(), 0u) << collection.DebugString();
    }
    EXPECT_EQ(collection.sizes_size(), 5) << collection.DebugString();
    EXPECT_EQ(collection.heaps(), 1u);
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(counts[i], said.at("counts").at(i)) << i;
  // The runtime may begin a requested background collection with a young one.
  EXPECT_GE(induced, said.at("induced"));
  EXPECT_GT(background, 0u);

  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->generation(), 2u);
  EXPECT_EQ(full->type(), GarbageCollection::BLOCKING);
  EXPECT_EQ(full->compacting(), said.at("compacted"));
  EXPECT_EQ(full->pinned_objects(), said.at("pinned"));
  EXPECT_EQ(full->committed_bytes(), said.at("committed"));
  for (int i = 0; i < 5; ++i) {
    const GenerationSizes& sizes = full->sizes(i);
    const nlohmann::json& generation = said.at("generations").at(static_cast<size_t>(i));
    EXPECT_EQ(sizes.before_bytes(), generation.at("before")) << i;
    EXPECT_EQ(sizes.after_bytes(), generation.at("after")) << i;
    EXPECT_EQ(sizes.free_before_bytes(), generation.at("free_before")) << i;
    EXPECT_EQ(sizes.free_after_bytes(), generation.at("free_after")) << i;
  }

  // The sample calls GC.Collect from a lambda of Main, and from Background.
  EXPECT_EQ(raw.collect_calls.size(), said.at("induced").get<size_t>());
  for (const RawCollectCall& call : raw.collect_calls) EXPECT_TRUE(IsOfSample(call));

  // Suspensions enclose what the runtime counts as its pauses, by some microseconds each.
  double stopped_ms = 0;
  for (const Suspension& suspension : raw.suspensions) {
    stopped_ms += static_cast<double>(suspension.total_ns()) / 1e6;
  }
  const double pause_ms = said.at("pause_ms");
  EXPECT_GE(stopped_ms, pause_ms * 0.95);
  EXPECT_LE(stopped_ms, pause_ms * 1.25 + 10);

  ASSERT_FALSE(raw.jit.empty());
  const JitSample& jit = raw.jit.back();
  EXPECT_GT(jit.methods(), 0u);
  EXPECT_LE(jit.methods(), said.at("jit_methods").get<uint64_t>() + 500);
  EXPECT_GT(jit.time_ns(), 0u);
}

// A thread snapshot, which stops the threads as well, may come at any moment of a collection; there
// is hardly a moment without one here.
TEST_P(GcTest, EachCollectionHasItsPauseBesideThreadSnapshots) {
  const std::filesystem::path recording =
      Run("gc,waits", {"--induced", "400", "--churn", "16"}, {}, "waits.every=1s");
  const RawRecording raw(recording);
  uint64_t of_snapshots = 0;
  constexpr uint32_t kForProfiler = 9;  // COR_PRF_SUSPEND_REASON
  for (const Suspension& suspension : raw.suspensions) {
    if (suspension.by_recorder()) ++of_snapshots;
    EXPECT_EQ(suspension.by_recorder(), suspension.reason() == kForProfiler)
        << suspension.DebugString();
  }
  EXPECT_GT(of_snapshots, 0u);
  EXPECT_EQ(of_snapshots, raw.thread_snapshots);
  EXPECT_GT(raw.collections.size(), 400u);
  const nlohmann::json without =
      HindsightJson("sql", recording, {"SELECT * FROM gcs WHERE pause_ns = 0 OR pause_ns IS NULL"});
  EXPECT_TRUE(without.at("rows").empty()) << without;
}

// With Server GC, the collector's threads do the work; the callers are known all the same.
TEST_P(GcTest, CallsForCollectionsHaveTheirStacksWithServerGc) {
  const RawRecording raw =
      Record("gc", {"--induced", "25", "--churn", "16"}, {{"DOTNET_gcServer", "1"}});
  EXPECT_EQ(raw.collect_calls.size(), 4u * 25 + 1);
  for (const RawCollectCall& call : raw.collect_calls) EXPECT_TRUE(IsOfSample(call));
}

INSTANTIATE_TEST_SUITE_P(Net, GcTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::Bool()),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "Attach" : "StartUp");
                         });

}  // namespace
}  // namespace hindsight::live
