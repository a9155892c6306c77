// The recorder is not part of what it reports: no thread waits for one of its own, its collections
// and threads are marked and left out of the reports, and threads have the names they were given.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/live/harness/application.h"
#include "tests/live/harness/raw_recording.h"

namespace hindsight::live {
namespace {

constexpr int kRounds = 200;  // of the sample, each with a thread with a name and one without

std::vector<std::string> ThreadChurn(int runtime) {
  if (runtime == 8) return {HINDSIGHT_THREAD_CHURN_8};
  if (runtime == 9) return {HINDSIGHT_THREAD_CHURN_9};
  return {HINDSIGHT_DOTNET, HINDSIGHT_THREAD_CHURN_10};
}

std::string OnlyRecording(const std::filesystem::path& folder) {
  const auto all = RecordingsIn(folder);
  EXPECT_EQ(all.size(), 1u) << folder;
  return all.empty() ? std::string() : all.front().string();
}

class Unfelt : public testing::TestWithParam<int> {};

// With the default options: sessions of events begin while the application runs.
TEST_P(Unfelt, NoThreadOfTheApplicationWaitsForOurs) {
  const Workspace out;
  EnvironmentVariables environment = StartUp(out.path(), "events.from=quiet");
  SampleApplication application({.command = ThreadChurn(GetParam()),
                                 .environment = std::move(environment),
                                 .waits_to_go = true});
  const std::filesystem::path recording = WhenListening(out.path());
  ASSERT_FALSE(recording.empty());
  application.Go();
  EXPECT_EQ(application.End(), "done\n");

  const RawRecording raw(recording);
  EXPECT_GT(raw.not_seen_ns, 0u);  // and it reports since when it listens
  for (const RawLockWait& wait : raw.lock_waits) {
    const auto owner = raw.threads.find(wait.owner);
    if (owner == raw.threads.end()) continue;
    EXPECT_FALSE(owner->second.is_recorder || owner->second.name.starts_with("hindsight-"))
        << owner->second.name << " held up " << testing::PrintToString(wait.stack);
  }
  const Ended info = Hindsight("info", recording);
  EXPECT_NE(info.output.find("events.from=start"), std::string::npos) << info.Describe();
}

// With events from the start, which is when threads of ours and the application's contend: waits
// for ours are marked, and no report mentions them.
TEST_P(Unfelt, ThreadsHaveTheNamesTheyWereGiven) {
  const Workspace out;
  SampleApplication application({.command = ThreadChurn(GetParam()),
                                 .arguments = {"--rounds", std::to_string(kRounds)},
                                 .environment = StartUp(out.path(), ""),
                                 .waits_to_go = true});
  ASSERT_FALSE(WhenListening(out.path()).empty());
  application.Go();
  EXPECT_EQ(application.End(), "done\n");

  const std::string recording = OnlyRecording(out.path());
  const RawRecording raw(recording);
  int named = 0, unnamed = 0;
  for (const auto& [id, thread] : raw.threads) {
    const auto starts = [&thread = thread](const std::string& method) {
      return std::ranges::find(thread.creator, "ThreadChurn.Program." + method) !=
             thread.creator.end();
    };
    if (starts("StartNamed")) {
      ++named;
      EXPECT_TRUE(thread.name.starts_with("churn-")) << thread.name;
    } else if (starts("StartUnnamed")) {
      ++unnamed;
      EXPECT_EQ(thread.name, "");
    }
  }
  EXPECT_EQ(raw.lost, 0u);
  EXPECT_EQ(named, kRounds);
  EXPECT_EQ(unnamed, kRounds);
  const Ended threads =
      Hindsight("sql", recording, {"SELECT name FROM threads WHERE name LIKE 'hindsight-%'"});
  EXPECT_TRUE(threads.Succeeded()) << threads.Describe();
  EXPECT_EQ(threads.output.find("hindsight-"), std::string::npos) << threads.output;
}

// The sample requests no collection; a heap snapshot does.
TEST_P(Unfelt, CollectionsForSnapshotsAreNotTheApplications) {
  SampleApplication application({.command = ThreadChurn(GetParam())});
  application.Attach("gc,locks,heap,waits");
  ASSERT_FALSE(WhenListening(application.output()).empty());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(application.SnapshotFile().empty());
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");

  const std::string recording = OnlyRecording(application.output());
  const RawRecording raw(recording);
  const auto ours = std::ranges::count_if(
      raw.collections, [](const GarbageCollection& one) { return one.by_recorder(); });
  EXPECT_GE(ours, 2);
  for (const GarbageCollection& one : raw.collections) {
    EXPECT_TRUE(!one.induced() || one.by_recorder()) << one.DebugString();
  }
  EXPECT_TRUE(std::ranges::any_of(raw.suspensions,
                                  [](const Suspension& one) { return one.by_recorder(); }));
  const nlohmann::json gc = HindsightJson("gc", recording);
  EXPECT_EQ(gc.dump().find("GC.Collect"), std::string::npos) << gc.dump(1);
  const Ended summary = Hindsight("summary", recording);
  EXPECT_EQ(summary.output.find("induced"), std::string::npos) << summary.output;
  const Ended info = Hindsight("info", recording);
  EXPECT_NE(info.output.find("Caused by the recorder"), std::string::npos) << info.Describe();
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Unfelt, testing::Values(8, 9, 10));

}  // namespace
}  // namespace hindsight::live
