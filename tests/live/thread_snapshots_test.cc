// Snapshots of all threads of real processes: taken periodically, on request, at the end; from
// start-up and attached after the hang; and what `hindsight threads` makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/wait_truth.h"
#include "trigger/exit_code.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Whatever has not run between two snapshots counts as stuck: tests are short.
json ThreadsOf(const fs::path& recording) {
  const Ended ended = Hindsight("threads", recording, {"--json", "--unchanged-for", "1ms"});
  const json report = json::parse(ended.output, nullptr, /*allow_exceptions=*/false);
  EXPECT_FALSE(report.is_discarded()) << ended.Describe();
  return report;
}

// The threads whose name begins with `prefix`, from the newest snapshot, each with its stack.
std::vector<json> Named(const json& report, const std::string& prefix) {
  std::vector<json> found;
  for (const json& stack : report.at("stacks")) {
    for (json thread : stack.at("threads")) {
      if (!thread.at("name").get<std::string>().starts_with(prefix)) continue;
      thread["frames"] = stack.at("frames");
      found.push_back(std::move(thread));
    }
  }
  return found;
}

json Finding(const json& report, const std::string& kind) {
  for (const json& finding : report.at("findings")) {
    if (finding.at("kind") == kind) return finding;
  }
  ADD_FAILURE() << "no finding of kind " << kind << " in " << report.at("findings").dump(1);
  return {{"count", 0}, {"frames", json::array()}};
}

class ThreadSnapshots : public testing::TestWithParam<int> {};

TEST_P(ThreadSnapshots, FromStartUpByTheClockOnRequestAndAtTheEnd) {
  Workspace recordings;
  SampleApplication application({.command = WaitSamples(GetParam()),
                                 .arguments = {"ZombieThread", "--count", "8"},
                                 .environment = StartUp(recordings.path(), "waits.every=1s")});
  const Ended asked = application.Snapshot({"--threads"});
  ASSERT_TRUE(asked.Succeeded()) << asked.Describe();
  const json answer = json::parse(asked.output).at("snapshot");
  EXPECT_GT(answer.at("threads"), 8);
  EXPECT_GT(answer.at("pause_ns"), 0);
  const fs::path recording = RecordingsIn(recordings.path()).at(0);
  EXPECT_EQ(answer.at("output"), recording.string());
  ASSERT_TRUE(WaitUntil([&] { return ThreadsOf(recording).at("snapshots").at("count") >= 3; }));
  EXPECT_EQ(application.End(), "done\n");

  const json report = ThreadsOf(recording);
  EXPECT_EQ(report.at("snapshot").at("trigger"), "last");
  const std::vector<json> feeds = Named(report, "feed-");
  EXPECT_EQ(feeds.size(), 8u);
  for (const json& feed : feeds) {
    EXPECT_EQ(feed.at("state"), "sleeping");
    EXPECT_GT(feed.at("cpu_ns"), 0);
    EXPECT_EQ(feed.at("ran_ns"), 0);
    EXPECT_GT(feed.at("unchanged_ns"), 0);
    EXPECT_TRUE(HasMethod(feed.at("frames"), "ZombieThread.Inbox.Read")) << feed.dump(1);
  }
  const json zombies = Finding(report, "zombie");
  EXPECT_EQ(zombies.at("count"), 8);
  EXPECT_TRUE(HasMethod(zombies.at("frames"), "ZombieThread.Inbox.Read"));
  // The recorder's own threads are not reported.
  EXPECT_TRUE(Named(report, "hindsight-").empty());
}

TEST_P(ThreadSnapshots, OfAThousandThreadsAttachedAfterTheHang) {
  constexpr uint64_t kMostNs = 20'000'000;
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = {"ThreadLeak", "--count", "1000"}});
  // A busy machine may stop our thread in the middle of it, and some of the others may still be
  // going to sleep: the best of several attempts counts.
  uint64_t least_ns = UINT64_MAX;
  uint64_t most_stuck = 0;
  for (int i = 0; i < 30 && (least_ns > kMostNs || most_stuck < 1000); ++i) {
    const Ended asked = application.Snapshot({"--threads"});
    ASSERT_TRUE(asked.Succeeded()) << asked.Describe();
    const json report = ThreadsOf(json::parse(asked.output).at("snapshot").at("output"));
    EXPECT_GT(report.at("snapshot").at("threads"), 1000);
    const std::vector<json> watchers = Named(report, "watch-");
    EXPECT_EQ(watchers.size(), 1000u);
    for (const json& watcher : watchers) {
      ASSERT_TRUE(HasMethod(watcher.at("frames"), "ThreadLeak.Watcher.Watch")) << watcher.dump(1);
    }
    // Where they were started was not seen.
    uint64_t stuck = 0;
    for (const json& finding : report.at("findings")) {
      EXPECT_EQ(finding.at("kind"), "zombie");
      stuck += finding.at("count").get<uint64_t>();
    }
    most_stuck = std::max(most_stuck, stuck);
    least_ns = std::min<uint64_t>(least_ns, report.at("snapshots").at("longest_pause_ns"));
  }
  EXPECT_LE(least_ns, kMostNs);
  EXPECT_EQ(most_stuck, 1000u);
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(ThreadSnapshots, NameThePlaceThatLeaksThreads) {
  Workspace recordings;
  SampleApplication application({.command = WaitSamples(GetParam()),
                                 .arguments = {"ThreadLeak", "--count", "100"},
                                 .environment = StartUp(recordings.path(), "waits.every=1s")});
  const fs::path recording = RecordingsIn(recordings.path()).at(0);
  ASSERT_TRUE(WaitUntil([&] {
    const json report = ThreadsOf(recording);
    return report.at("snapshots").at("count") >= 2 && Named(report, "watch-").size() == 100 &&
           std::ranges::any_of(report.at("findings"), [](const json& finding) {
             return finding.at("kind") == "thread leak" && finding.at("count") == 100;
           });
  }));
  EXPECT_EQ(application.End(), "done\n");
  const json leak = Finding(ThreadsOf(recording), "thread leak");
  EXPECT_EQ(leak.at("count"), 100);
  EXPECT_TRUE(HasMethod(leak.at("frames"), "ThreadLeak.Program.Handle")) << leak.dump(1);
  EXPECT_TRUE(HasMethod(leak.at("stand_at"), "ThreadLeak.Watcher.Watch")) << leak.dump(1);
}

TEST_P(ThreadSnapshots, ShowWhatKeepsAnEndingProcess) {
  SampleApplication application({.command = WaitSamples(GetParam()),
                                 .arguments = {"ZombieThread", "--count", "3", "--ending"}});
  json report;
  ASSERT_TRUE(WaitUntil([&] {  // Main returns a little after that
    const Ended asked = application.Snapshot({"--threads"});
    if (!asked.Succeeded()) return false;
    report = ThreadsOf(json::parse(asked.output).at("snapshot").at("output"));
    return !report.at("findings").empty() && report.at("findings")[0].at("kind") == "foreground";
  })) << report.dump(1);
  const json foreground = Finding(report, "foreground");
  EXPECT_EQ(foreground.at("count"), 3);
  EXPECT_TRUE(HasMethod(foreground.at("frames"), "ZombieThread.Inbox.Read"));
  application.End();
}

TEST_P(ThreadSnapshots, FindNothingInWhatOnlyWaits) {
  SampleApplication application({.command = WaitSamples(GetParam()),
                                 .arguments = Together({WaitCases("Contention").front(),
                                                        WaitCases("SlowButAlive").front()})});
  const Ended asked = application.Snapshot({"--threads"});
  ASSERT_TRUE(asked.Succeeded()) << asked.Describe();
  const json report = ThreadsOf(json::parse(asked.output).at("snapshot").at("output"));
  EXPECT_TRUE(report.at("findings").empty()) << report.at("findings").dump(1);
  EXPECT_GT(report.at("stacks").size(), 3u);
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(ThreadSnapshots, ComeWithALoneHeapSnapshot) {
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = {"ZombieThread", "--count", "8"}});
  const json report = ThreadsOf(application.SnapshotFile().parent_path());
  EXPECT_EQ(report.at("snapshot").at("trigger"), "heap");
  const std::vector<json> feeds = Named(report, "feed-");
  EXPECT_EQ(feeds.size(), 8u);
  for (const json& feed : feeds) {
    EXPECT_TRUE(HasMethod(feed.at("frames"), "ZombieThread.Inbox.Read")) << feed.dump(1);
  }
  EXPECT_TRUE(report.at("findings").empty()) << report.at("findings").dump(1);
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(ThreadSnapshots, AreRefusedWithAReasonWhereTheSourceIsOff) {
  SampleApplication application(
      {.command = WaitSamples(GetParam()), .arguments = {"ZombieThread", "--count", "1"}});
  application.Attach("gc");
  const Ended asked = application.Snapshot({"--threads"});
  EXPECT_EQ(asked.exit_code, static_cast<int>(trigger::TriggerExit::kRecorderRefused));
  EXPECT_NE(asked.errors.find("source waits"), std::string::npos) << asked.Describe();
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
}

INSTANTIATE_TEST_SUITE_P(Net, ThreadSnapshots, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
