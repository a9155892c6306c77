// What hangs is found, with its members, what they hold and what they wait for, and nothing else
// is: recorded from the start, attached before the hang, and after it.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/live/harness/sample.h"
#include "tests/live/harness/wait_recording.h"
#include "tests/live/harness/wait_truth.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

using Setting = std::tuple<int, Mode>;

class WaitsTest : public testing::TestWithParam<Setting> {
 protected:
  static int runtime() { return std::get<0>(GetParam()); }
  static Mode mode() { return std::get<1>(GetParam()); }

  // The cases of these samples for this runtime.
  static std::vector<WaitCase> Cases(const std::vector<std::string>& samples) {
    std::vector<WaitCase> cases;
    for (const std::string& sample : samples) {
      for (WaitCase& one : WaitCases(sample)) {
        if (one.RunsOn(runtime())) cases.push_back(std::move(one));
      }
    }
    return cases;
  }
};

class WaitEventsTest : public testing::TestWithParam<int> {};

void ExpectDeadlocks(const fs::path& recording, const std::vector<WaitCase>& cases) {
  const json report = HindsightJson("deadlocks", recording);
  EXPECT_EQ(DeadlocksIn(report), DeadlocksOf(cases)) << report.at("notes");
  EXPECT_EQ(BrokenCycles(report), "");
}

bool IsPrefix(const std::vector<std::string>& methods, const json& frames) {
  if (frames.size() < methods.size()) return false;
  for (size_t i = 0; i < methods.size(); ++i) {
    if (!HasMethod(json::array({frames[i]}), methods[i])) return false;
  }
  return true;
}

void ExpectTasks(const fs::path& recording, const std::vector<StuckTasks>& truth) {
  const json report = HindsightJson("tasks", recording);
  for (const StuckTasks& tasks : truth) {
    const json& groups = report.at("groups");
    EXPECT_TRUE(std::ranges::any_of(groups, [&](const json& group) {
      const std::string awaits = group.at("awaits");
      const std::string holder =
          group.at("holder").is_null() ? "" : group.at("holder").get<std::string>();
      return group.at("count") == tasks.count && IsPrefix(tasks.stack, group.at("stack")) &&
             awaits.find(tasks.awaits) != std::string::npos &&
             holder.find(tasks.holder) != std::string::npos;
    })) << report.dump(1);
  }
}

TEST_P(WaitsTest, WhatHangsIsFoundAsItIs) {
  const auto cases =
      Cases({"Deadlock", "ReaderWriterDeadlock", "AsyncDeadlock", "StuckTask", "ThreadLeak"});
  WaitRecording recording(runtime(), mode(), cases);
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  const fs::path folder = recording.End();
  ExpectDeadlocks(folder, cases);
  size_t stuck = 0;
  for (const WaitCase& one : cases) {
    ExpectTasks(folder, one.tasks);
    stuck += one.tasks.size();
  }
  EXPECT_GT(stuck, 0u);
}

// Whether the pool starves because the sample blocks it, by what is recorded so far.
bool IsStarved(const fs::path& output, const WaitCase& truth) {
  const auto recordings = RecordingsIn(output);
  if (recordings.size() != 1) return false;
  const json report = HindsightJson("pool", recordings.front());
  return report.at("verdict") == "starved" &&
         std::ranges::any_of(report.at("blocking"), [&](const json& place) {
           return HasMethod(place.at("frames"), truth.pool_blocked_in);
         });
}

TEST_P(WaitsTest, APoolThatWaitsForItselfIsFound) {
  const auto cases = Cases({"SyncOverAsync"});
  ASSERT_EQ(cases.front().pool, "starved");
  WaitRecording recording(runtime(), mode(), cases);
  EXPECT_TRUE(WaitUntil([&] { return IsStarved(recording.output(), cases.front()); }));
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  const fs::path folder = recording.End();
  ExpectDeadlocks(folder, cases);
  EXPECT_TRUE(IsStarved(folder.parent_path(), cases.front()));
}

// It starves, but is not deadlocked: the result may still come.
TEST_P(WaitsTest, APoolThatStarvesIsFound) {
  const auto cases = Cases({"PoolStarvation"});
  ASSERT_EQ(cases.front().pool, "starved");
  WaitRecording recording(runtime(), mode(), cases);
  EXPECT_TRUE(WaitUntil([&] { return IsStarved(recording.output(), cases.front()); }));
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  ExpectDeadlocks(recording.End(), cases);
}

// Whether all places where the sample's threads wait for locks are in the report.
bool HasLocks(const json& report, const WaitCase& truth, int runtime) {
  return std::ranges::all_of(truth.locks, [&](const auto& lock) {
    const auto& [kind, method] = lock;
    // System.Threading.Lock came with .NET 9.
    const std::string_view expected = runtime == 8 ? "monitor" : std::string_view(kind);
    return std::ranges::any_of(report.at("waits"), [&](const json& wait) {
      return wait.at("kind") == expected && wait.at("count") > 0 && wait.at("total_ns") > 0 &&
             HasMethod(wait.at("stack"), method);
    });
  });
}

TEST_P(WaitsTest, HealthyOnesAreNotAccused) {
  const auto cases = Cases({"Contention", "SlowButAlive", "Stress", "SlowHandles"});
  WaitRecording recording(runtime(), mode(), cases);
  // A recording can be read while it grows.
  EXPECT_TRUE(WaitUntil([&] {
    const auto recordings = RecordingsIn(recording.output());
    return recordings.size() == 1 &&
           HasLocks(HindsightJson("locks", recordings.front()), cases.front(), runtime());
  }));
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  const fs::path folder = recording.End();
  ExpectDeadlocks(folder, cases);
  const Texts signals = SignalsIn(HindsightJson("deadlocks", folder));
  for (const WaitCase& one : cases) {
    for (const std::string& signal : one.signals) EXPECT_TRUE(signals.contains(signal)) << signal;
  }
  EXPECT_NE(HindsightJson("pool", folder).at("verdict"), "starved");
  const json threads = HindsightJson("threads", folder);
  EXPECT_TRUE(threads.at("findings").empty()) << threads.at("findings");
}

// Threads that are stuck for good, and the place that starts too many of them: known only if the
// recorder was there when they were started.
TEST_P(WaitsTest, ThreadsThatMayNeverGoOnAreFound) {
  const std::vector<WaitCase> cases = {WaitCaseOf("ZombieThread", "forgotten"),
                                       WaitCaseOf("ThreadLeak", "watchers")};
  WaitRecording recording(runtime(), mode(), cases, {"waits.every=1s"});
  std::multiset<std::pair<std::string, uint64_t>> expected;
  for (const WaitCase& one : cases) {
    for (const ThreadFinding& finding : one.findings) {
      const bool was_there = mode() != Mode::kAttachedAfter;
      expected.emplace(was_there ? finding.kind : "zombie", finding.count);
    }
  }
  std::multiset<std::pair<std::string, uint64_t>> found;
  std::string elsewhere;  // findings in places that are not expected
  EXPECT_TRUE(WaitUntil([&] {
    const auto recordings = RecordingsIn(recording.output());
    if (recordings.size() != 1) return false;
    found.clear();
    elsewhere.clear();  // the first of many threads may be reported separately, while more come
    const json report = HindsightJson("threads", recordings.front(), {"--unchanged-for", "1ms"});
    for (const json& finding : report.at("findings")) {
      found.emplace(finding.at("kind"), finding.at("count"));
      const auto is_there = [&](const WaitCase& one) {
        return HasMethod(finding.at("frames"), one.findings.front().method);
      };
      if (mode() != Mode::kAttachedAfter && std::ranges::none_of(cases, is_there)) {
        elsewhere += finding.dump(1);
      }
    }
    return found == expected && elsewhere.empty();
  })) << testing::PrintToString(found)
      << elsewhere;
  recording.End();
}

// There is no heap snapshot: the events show which threads waited and which held what.
TEST_P(WaitEventsTest, ReportDeadlocksInAProcessThatWasKilled) {
  std::vector<WaitCase> cases = WaitCases("Deadlock");
  std::erase_if(cases, [](const WaitCase& one) { return !one.RunsOn(GetParam()); });
  WaitRecording recording(GetParam(), Mode::kFromStart, cases);
  const auto deadlocks = [&] {
    const auto recordings = RecordingsIn(recording.output());
    return recordings.size() != 1
               ? Texts{}
               : DeadlocksWithoutTypesIn(HindsightJson("deadlocks", recordings.front()));
  };
  EXPECT_TRUE(WaitUntil([&] { return deadlocks() == DeadlocksWithoutTypesOf(cases); }));
  recording.application().process().Signal(SIGKILL);
  ASSERT_TRUE(recording.application().process().Wait());
  EXPECT_EQ(deadlocks(), DeadlocksWithoutTypesOf(cases));
}

// Attaches with the default sources to a process that already hangs, and stops.
fs::path AttachedLate(int runtime, const std::vector<WaitCase>& cases, Workspace& copy) {
  SampleApplication application({.command = WaitSamples(runtime), .arguments = Together(cases)});
  application.Trigger(
      "attach", {"--profiler", HINDSIGHT_RECORDER, "--output", application.output().string()});
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
  const auto recordings = RecordingsIn(application.output());
  if (recordings.size() != 1) {
    ADD_FAILURE() << recordings.size() << " recordings";
    return {};
  }
  const fs::path kept = copy / "kept.hindsight";
  fs::copy(recordings.front(), kept, fs::copy_options::recursive);
  return kept;
}

// No event reports a wait that began before: the snapshots at the attach and at the end do.
TEST_P(WaitEventsTest, ADeadlockThatWasThereBeforeTheAttachIsSeen) {
  std::vector<WaitCase> cases = WaitCases("Deadlock");
  std::erase_if(cases, [](const WaitCase& one) {
    return one.arguments.size() > 2 && std::ranges::count(one.arguments, "--kind") > 0;
  });
  ASSERT_GE(cases.size(), 3u);
  Workspace kept;
  const fs::path recording = AttachedLate(GetParam(), cases, kept);
  const json report = HindsightJson("deadlocks", recording);
  EXPECT_EQ(DeadlocksWithoutTypesIn(report), DeadlocksWithoutTypesOf(cases)) << report.dump(1);
  for (const json& deadlock : report.at("deadlocks")) {
    EXPECT_EQ(deadlock.at("confidence"), "certain");
  }
  const json first = HindsightJson("summary", recording).at("findings").at(0);
  EXPECT_EQ(first.at("kind"), "lock-cycle");
  EXPECT_EQ(first.at("severity"), "critical");
}

// The owners of these locks show only in a heap; so there is no deadlock, and no all-clear.
TEST_P(WaitEventsTest, WhatALookCannotJudgeIsNoAllClear) {
  Workspace kept;
  const fs::path recording =
      AttachedLate(GetParam(), {WaitCases("ReaderWriterDeadlock").front()}, kept);
  const json report = HindsightJson("deadlocks", recording);
  EXPECT_TRUE(report.at("deadlocks").empty());
  EXPECT_FALSE(report.at("all_clear").get<bool>());
  EXPECT_EQ(report.at("looked_at").at("unjudged_threads"), 2);
  EXPECT_NE(Hindsight("deadlocks", recording).output.find("cannot be ruled out"),
            std::string::npos);
}

// Findings of this kind, as "severity: subject".
std::set<std::string> FindingsIn(const json& summary, std::string_view kind) {
  std::set<std::string> found;
  for (const json& finding : summary.at("findings")) {
    if (finding.at("kind") != kind) continue;
    found.insert(finding.at("severity").get<std::string>() + ": " +
                 finding.at("subject").get<std::string>());
  }
  return found;
}

// Without a heap snapshot: threads that wait for locks from before the attach to the end.
TEST_P(WaitEventsTest, ThreadsThatStandInLocksAreReported) {
  const std::vector<WaitCase> cases = {WaitCases("ReaderWriterDeadlock").front()};
  SampleApplication application({.command = WaitSamples(GetParam()), .arguments = Together(cases)});
  application.Trigger(
      "attach", {"--profiler", HINDSIGHT_RECORDER, "--output", application.output().string()});
  json summary = {{"findings", json::array()}};
  EXPECT_TRUE(WaitUntil([&] {
    const auto recordings = RecordingsIn(application.output());
    if (recordings.size() == 1) summary = HindsightJson("summary", recordings.front());
    return FindingsIn(summary, "standing-still").size() == 1;
  })) << summary.dump(1);
  application.Trigger("stop");
  EXPECT_EQ(application.End(), "done\n");
}

TEST_P(WaitEventsTest, WhatNothingCanCompleteIsReported) {
  const std::vector<WaitCase> cases = {WaitCaseOf("StuckTask", "vain")};
  WaitRecording recording(GetParam(), Mode::kFromStart, cases);
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  const json summary = HindsightJson("summary", recording.End());
  EXPECT_EQ(FindingsIn(summary, "orphaned-wait"),
            (std::set<std::string>{"warning: StuckTask.Vain.WaitForAColdTask",
                                   "warning: StuckTask.Vain.WaitForAll"}))
      << summary.dump(1);
}

// Monitor.TryEnter with a timeout.
TEST_P(WaitEventsTest, ACycleOfLocksThatTimesOutIsAWarning) {
  const std::vector<WaitCase> cases = {WaitCaseOf("Deadlock", "monitors with a timeout")};
  WaitRecording recording(GetParam(), Mode::kFromStart, cases);
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  const json summary = HindsightJson("summary", recording.End());
  const std::set<std::string> found = FindingsIn(summary, "lock-cycle");
  ASSERT_EQ(found.size(), 1u) << summary.dump(1);
  EXPECT_TRUE(found.begin()->starts_with("warning: ")) << *found.begin();
}

TEST_P(WaitEventsTest, ALateAttachAccusesNobodyWhoGetsOn) {
  Workspace kept;
  const fs::path recording = AttachedLate(
      GetParam(), {WaitCases("SlowButAlive").front(), WaitCases("SlowHandles").front()}, kept);
  EXPECT_TRUE(HindsightJson("deadlocks", recording).at("deadlocks").empty());
  EXPECT_TRUE(HindsightJson("threads", recording).at("findings").empty());
}

INSTANTIATE_TEST_SUITE_P(Net, WaitEventsTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

INSTANTIATE_TEST_SUITE_P(Net, WaitsTest,
                         testing::Combine(testing::ValuesIn(kRuntimes), testing::ValuesIn(kModes)),
                         [](const testing::TestParamInfo<Setting>& info) {
                           return std::to_string(std::get<0>(info.param)) +
                                  NameOf(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace hindsight::live
