// The first page of a recording reports the truth first: for samples that misbehave, what they do;
// for the healthy ones, that there is nothing.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/live/harness/cpu_profile.h"
#include "tests/live/harness/heap_truth.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/wait_recording.h"
#include "tests/live/harness/wait_truth.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kRuntime = 10;

// The problems, worst first.
std::vector<json> Findings(const json& summary) {
  std::vector<json> out;
  for (const json& finding : summary.at("findings")) {
    if (finding.at("severity") != "note") out.push_back(finding);
  }
  return out;
}

size_t CountOf(const json& summary, std::string_view signal) {
  const std::vector<json> findings = Findings(summary);
  return static_cast<size_t>(std::ranges::count_if(
      findings, [signal](const json& finding) { return finding.at("signal") == signal; }));
}

// No problems, except for what depends on the machine: how long threads take to stop, and whether
// they get a processor.
void ExpectHealthy(const fs::path& recording) {
  const json summary = HindsightJson("summary", recording);
  EXPECT_EQ(Findings(summary).size(), CountOf(summary, "pauses")) << summary.dump(1);
  bool is_doubted = false;
  for (const json& finding : summary.at("findings")) {
    if (!finding.value("is_doubt", false)) continue;
    EXPECT_EQ(finding.at("kind"), "no-processor");
    is_doubted = true;
  }
  const std::string text = Hindsight("summary", recording).output;
  EXPECT_EQ(text.find("\nNo problems found") != std::string::npos,
            summary.at("healthy").get<bool>() && !is_doubted)
      << text;
}

std::string Text(const json& value) { return value.get<std::string>(); }

// The only recording below `output`; empty while there is none.
fs::path Only(const fs::path& output) {
  const std::vector<fs::path> recordings = RecordingsIn(output);
  return recordings.size() == 1 ? recordings.front() : fs::path();
}

std::vector<WaitCase> CasesOf(const std::string& sample) {
  std::vector<WaitCase> cases = WaitCases(sample);
  std::erase_if(cases, [](const WaitCase& one) { return !one.RunsOn(kRuntime); });
  return cases;
}

class SummaryOfDeadlocks : public testing::TestWithParam<const char*> {};

TEST_P(SummaryOfDeadlocks, ComesFirst) {
  const std::vector<WaitCase> cases = CasesOf(GetParam());
  WaitRecording recording(kRuntime, Mode::kFromStart, cases);
  json summary;
  // Threads spin before they block; a snapshot may come too early on a busy machine.
  EXPECT_TRUE(WaitUntil([&] {
    if (recording.application().SnapshotFile().empty()) return true;
    summary = HindsightJson("summary", Only(recording.output()));
    return CountOf(summary, "deadlocks") == DeadlocksOf(cases).size();
  })) << summary.dump(1);
  recording.End();
  const std::vector<json> findings = Findings(summary);
  ASSERT_FALSE(findings.empty()) << summary.dump(1);
  EXPECT_EQ(findings.front().at("signal"), "deadlocks") << summary.dump(1);
  EXPECT_EQ(findings.front().at("severity"), "critical");
}

INSTANTIATE_TEST_SUITE_P(Net10, SummaryOfDeadlocks,
                         testing::Values("Deadlock", "ReaderWriterDeadlock", "AsyncDeadlock",
                                         "SyncOverAsync"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Summary, ReportsAPoolThatStarves) {
  const std::vector<WaitCase> cases = CasesOf("PoolStarvation");
  WaitRecording recording(kRuntime, Mode::kFromStart, cases);
  json first;
  EXPECT_TRUE(WaitUntil([&] {
    const std::vector<json> findings = Findings(HindsightJson("summary", Only(recording.output())));
    if (findings.empty()) return false;
    first = findings.front();
    return first.at("kind") == "starved" &&
           Text(first.at("subject")).find(cases.front().pool_blocked_in) != std::string::npos;
  })) << first;
  recording.End();
}

// Problems that must be stuck for a while before they are reported: in one process, all at once.
TEST(Summary, ReportsWhatWillNeverGoOn) {
  const std::vector<WaitCase> cases = {WaitCaseOf("ZombieThread", "forgotten"),
                                       WaitCaseOf("ThreadLeak", "watchers"),
                                       WaitCaseOf("StuckTask", "requests")};
  WaitRecording recording(kRuntime, Mode::kFromStart, cases, {"waits.every=1s", "heap.every=11s"});
  const std::set<std::string> expected = {"zombie-threads", "thread-leak", "stuck-tasks"};
  std::set<std::string> found;
  // Threads count as lost after a minute.
  EXPECT_TRUE(WaitUntil(
      [&] {
        found.clear();
        const json summary = HindsightJson("summary", Only(recording.output()));
        for (const json& finding : summary.at("findings")) {
          // Idle threads look like those, so they are a note.
          if (finding.at("severity") != "note" || finding.at("kind") == "zombie-threads") {
            found.insert(Text(finding.at("kind")));
          }
        }
        return std::ranges::includes(found, expected);
      },
      2 * kDeadline))
      << testing::PrintToString(found);
  EXPECT_EQ(found, expected);
  recording.End();
}

class SummaryOfLeaks : public testing::TestWithParam<const char*> {};

TEST_P(SummaryOfLeaks, ComesFirst) {
  const HeapTruth truth(GetParam());
  SampleApplication application(
      {.command = HeapSample(kRuntime, GetParam()), .arguments = truth.arguments()});
  const fs::path snapshot = application.SnapshotFile();
  ASSERT_FALSE(snapshot.empty());
  application.End();
  const json summary = HindsightJson("summary", snapshot);
  const std::vector<json> findings = Findings(summary);
  ASSERT_FALSE(findings.empty()) << summary.dump(1);
  std::string kind = truth.leak();
  std::ranges::replace(kind, ' ', '-');
  EXPECT_EQ(findings.front().at("signal"), "heap");
  EXPECT_EQ(findings.front().at("kind"), kind) << summary.dump(1);
}

INSTANTIATE_TEST_SUITE_P(Net10, SummaryOfLeaks,
                         testing::Values("Leak", "EventLeak", "TimerLeak", "ClosureLeak",
                                         "CacheLeak", "HandleLeak", "ThreadStaticLeak"),
                         [](const auto& info) { return std::string(info.param); });

// No snapshot shows it.
TEST(Summary, ReportsMemoryOutsideOfTheHeap) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  SampleApplication application(
      {.command = HeapSample(kRuntime, "NativeLeak"), .environment = StartUp(output)});
  json findings;
  EXPECT_TRUE(WaitUntil([&] {
    findings = HindsightJson("summary", Only(output)).at("findings");
    return !findings.empty() && findings.front().at("kind") == "native-memory";
  })) << findings.dump(1);
  EXPECT_EQ(application.End(), "done\n");
  const json timeline = HindsightJson("timeline", Only(output));
  double heap = 0, memory = 0;
  for (const json& series : timeline.at("series")) {
    if (series.at("signal") == "heap") heap = series.at("peak");
    if (series.at("signal") == "memory") memory = series.at("peak");
  }
  EXPECT_GT(memory, 128.0 * 1024 * 1024);
  EXPECT_LT(heap, memory / 2);  // 0 without a collection
}

TEST(Summary, ReportsAStormOfExceptions) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  const Ended ended =
      RunToEnd({.arguments = Storm(kRuntime, {"--scale", "100"}), .environment = StartUp(output)});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const json summary = HindsightJson("summary", Only(output));
  EXPECT_GT(CountOf(summary, "exceptions"), 0u) << summary.dump(1);
  EXPECT_EQ(CountOf(summary, "exceptions") + CountOf(summary, "pauses"), Findings(summary).size());
}

TEST(Summary, ReportsTheExceptionThatEndedTheProcess) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  const Ended ended = RunToEnd(
      {.arguments = Storm(kRuntime, {"--unhandled", "main"}), .environment = StartUp(output)});
  ASSERT_EQ(ended.signal, SIGABRT) << ended.Describe();
  const json summary = HindsightJson("summary", Only(output));
  const json& first = summary.at("findings").at(0);
  EXPECT_EQ(first.at("kind"), "unhandled") << summary.dump(1);
  EXPECT_EQ(first.at("subject"), "ExceptionStorm.UncaughtException");
  EXPECT_EQ(first.at("severity"), "critical");
}

TEST(Summary, FindsNothingInAHealthyService) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  const Ended ended = RunToEnd({.arguments = Steady(), .environment = StartUp(output)});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  ExpectHealthy(Only(output));
}

class SummaryOfHealthy : public testing::TestWithParam<const char*> {};

TEST_P(SummaryOfHealthy, FindsNothing) {
  WaitRecording recording(kRuntime, Mode::kFromStart, CasesOf(GetParam()));
  ASSERT_FALSE(recording.application().SnapshotFile().empty());
  ExpectHealthy(recording.End());
}

INSTANTIATE_TEST_SUITE_P(Net10, SummaryOfHealthy,
                         testing::Values("Contention", "SlowButAlive", "Stress"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Summary, FindsNothingInAHealthyHeap) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  SampleApplication application(
      {.command = HeapSample(kRuntime, "Healthy"),
       .arguments = HeapTruth("Healthy").arguments(),
       .environment = StartUp(output, std::string("sources=cpu,allocations,") + kAllSources)});
  ASSERT_FALSE(application.SnapshotFile().empty());
  application.End();
  ExpectHealthy(Only(output));
}

// The summary of a scene, from its start to its end, with these sources.
json SummaryOfScene(const std::vector<std::string>& command, std::vector<std::string> arguments,
                    const std::string& sources) {
  const Workspace workspace;
  const fs::path output = workspace / "out";
  SampleApplication application({.command = command,
                                 .arguments = std::move(arguments),
                                 .environment = StartUp(output, "sources=" + sources)});
  application.End();
  return HindsightJson("summary", Only(output));
}

TEST(Summary, ReportsWhatTheCollectorCosts) {
  const json summary =
      SummaryOfScene({HINDSIGHT_DOTNET, HINDSIGHT_GC_PRESSURE_10}, {"--induced", "50"}, "gc,locks");
  const std::vector<json> findings = Findings(summary);
  ASSERT_FALSE(findings.empty()) << summary.dump(1);
  EXPECT_EQ(findings.front().at("signal"), "pauses") << summary.dump(1);
}

// The cost is the work that this causes the collector.
TEST(Summary, ReportsWhatAllocationsCost) {
  const json summary =
      SummaryOfScene({HINDSIGHT_DOTNET, HINDSIGHT_ALLOCATION_HOT_10}, {}, "gc,allocations");
  const std::vector<json> findings = Findings(summary);
  ASSERT_FALSE(findings.empty()) << summary.dump(1);
  const std::set<std::string> signals = {"pauses", "allocations"};
  EXPECT_TRUE(signals.contains(Text(findings.front().at("signal")))) << summary.dump(1);
}

TEST(Summary, NamesTheHottestPath) {
  json summary;
  // A machine that is otherwise busy leaves it too little CPU time for a finding.
  const bool has_findings = WaitUntil([&] {
    summary = SummaryOfScene(CpuSamples(kRuntime), {"CpuHot", "--only", "shares", "--ms", "1500"},
                             "cpu,threads,modules");
    return !summary.at("findings").empty();
  });
  ASSERT_TRUE(has_findings) << summary.dump(1);
  const json& first = summary.at("findings").at(0);
  EXPECT_EQ(first.at("kind"), "hot-path");
  EXPECT_TRUE(Text(first.at("subject")).starts_with("CpuHot.Shares.")) << first;
}

}  // namespace
}  // namespace hindsight::live
