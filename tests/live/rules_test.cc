// Rules (`when=`) in a real process: what the recorder does by itself.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "tests/live/harness/application.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class LiveRules : public testing::TestWithParam<int> {};

std::vector<std::string> RulesOf(const json& timeline) {
  std::vector<std::string> rules;
  for (const json& moment : timeline.at("moments")) {
    const std::string what = moment.at("what");
    if (what.starts_with("rule ")) rules.push_back(what.substr(5));
  }
  return rules;
}

TEST_P(LiveRules, ActOnceTheyHold) {
  const Workspace out;
  const Ended ended =
      RunToEnd({.arguments = Storm(GetParam(), {"--rounds", "100", "--every", "50"}),
                .environment = StartUp(out.path(),
                                       "when=exceptions/s>20/1s:snapshot;when=memory>10MiB:threads;"
                                       "when=memory>99%:mark;rules.most=1")});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  ASSERT_EQ(recordings.size(), 1u);

  std::vector<std::string> rules = RulesOf(HindsightJson("timeline", recordings[0]));
  std::ranges::sort(rules);
  EXPECT_EQ(rules,
            (std::vector<std::string>{"exceptions/s>20/1s:snapshot", "memory>10MiB:threads"}));
  std::string notes;
  const json info = HindsightJson("info", recordings[0]);
  for (const json& note : info.at("notes")) notes += std::string(note) + '\n';
  EXPECT_NE(notes.find(" exceptions/s over 1 s. Started heap snapshot 1."), std::string::npos)
      << notes;
  EXPECT_NE(notes.find(". Took thread snapshot "), std::string::npos) << notes;
  EXPECT_TRUE(Hindsight("leaks", recordings[0]).Succeeded());
}

// How often rules have fired, as `status` says; 0 as long as there is no answer.
int FiredBy(const SampleApplication& application) {
  const Ended status =
      Trigger({"status", std::to_string(application.pid()), "--json"}, application.folder());
  const json answer = json::parse(status.output, nullptr, false);
  if (!status.Succeeded() || answer.is_discarded()) return 0;
  return answer.at("status").value("rules_fired", 0);
}

// Runs until the rule has fired; what its recording says then.
std::vector<std::string> FiredRules(std::vector<std::string> command,
                                    std::vector<std::string> arguments, const std::string& rule) {
  const Workspace out;
  SampleApplication application(
      {.command = std::move(command),
       .arguments = std::move(arguments),
       .environment = StartUp(out.path(), "events.from=start;when=" + rule)});
  EXPECT_TRUE(WaitUntil([&] { return FiredBy(application) > 0; })) << rule;
  application.End();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  return recordings.size() == 1 ? RulesOf(HindsightJson("timeline", recordings[0]))
                                : std::vector<std::string>();
}

TEST_P(LiveRules, SeeTheHeap) {
  const std::string rule = "heap>8MiB:mark";
  EXPECT_EQ(FiredRules(HeapSample(GetParam(), "BigHeap"), {}, rule),
            std::vector<std::string>{rule});
}

TEST_P(LiveRules, SeeCpuTime) {
  const std::string rule = "cpu>10%/1s:mark";
  EXPECT_EQ(FiredRules(HeapSample(GetParam(), "BigHeap"), {"--rewrite", "8"}, rule),
            std::vector<std::string>{rule});
}

TEST_P(LiveRules, SeeAPoolThatStarves) {
  const std::string rule = "pool.starves:threads";
  EXPECT_EQ(FiredRules(WaitSamples(GetParam()), {"PoolStarvation"}, rule),
            std::vector<std::string>{rule});
}

// At least rules.every apart, and no more than rules.most.
TEST_P(LiveRules, RestAndEnd) {
  const Workspace out;
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam(), {"--rounds", "160", "--every", "50"}),
       .environment = StartUp(out.path(),
                              "when=exceptions/s>1/1s:mark;when=cpu>1%/1s:mark;rules.every=2s;"
                              "rules.most=2")});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  ASSERT_EQ(recordings.size(), 1u);
  std::vector<int64_t> times;
  const json timeline = HindsightJson("timeline", recordings[0]);
  for (const json& moment : timeline.at("moments")) {
    if (moment.at("what") == "rule exceptions/s>1/1s:mark") times.push_back(moment.at("at_ns"));
  }
  ASSERT_EQ(times.size(), 2u) << timeline.at("moments");
  EXPECT_GE(times[1] - times[0], 1'900'000'000);
  const json info = HindsightJson("info", recordings[0]);
  EXPECT_NE(info.at("notes").dump().find("will not fire again"), std::string::npos);
}

// A process that ends itself as `how` says, recorded with when=unhandled:mark: what `info` notes
// about it.
std::string NotesOfMarkedEnd(int version, const std::vector<std::string>& how) {
  SCOPED_TRACE(how.back());
  const Workspace out;
  const Ended ended = RunToEnd({.arguments = Storm(version, how),
                                .environment = StartUp(out.path(), "when=unhandled:mark")});
  EXPECT_EQ(ended.signal, SIGABRT) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  if (recordings.size() != 1) {
    ADD_FAILURE() << recordings.size() << " recordings";
    return {};
  }
  // On a loaded machine, more exceptions may seem to be unhandled for a moment.
  const std::vector<std::string> rules = RulesOf(HindsightJson("timeline", recordings[0]));
  EXPECT_FALSE(rules.empty());
  EXPECT_EQ(std::ranges::count(rules, "unhandled:mark"), std::ssize(rules));
  return HindsightJson("info", recordings[0]).at("notes").dump();
}

TEST_P(LiveRules, MarkWhatNobodyHandles) {
  for (const char* how : {"main", "thread"}) {
    EXPECT_NE(NotesOfMarkedEnd(GetParam(), {"--unhandled", how})
                  .find("an exception that seems to be unhandled"),
              std::string::npos)
        << how;
  }
}

TEST_P(LiveRules, MarkWhatTheRuntimeEndsTheProcessFor) {
  for (const char* how : {"fast", "overflow"}) NotesOfMarkedEnd(GetParam(), {"--fatal", how});
}

constexpr int kBallast = 300'000;

// A process that ends itself as `how` says, with this many objects in memory: how many of them the
// heap snapshot of its end has; -1: none is complete.
int64_t BallastAtTheEnd(int version, const std::vector<std::string>& how,
                        const std::string& options) {
  const Workspace out;
  std::vector<std::string> arguments = {"--ballast", std::to_string(kBallast)};
  arguments.insert(arguments.end(), how.begin(), how.end());
  const Ended ended = RunToEnd(
      {.arguments = Storm(version, arguments), .environment = StartUp(out.path(), options)});
  EXPECT_EQ(ended.signal, SIGABRT) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  if (recordings.size() != 1) return -1;
  const json info = HindsightJson("info", recordings[0]);
  EXPECT_NE(info.at("notes").dump().find("Started heap snapshot "), std::string::npos)
      << info.at("notes");
  const Ended heap = Hindsight("heap", recordings[0], {"--json"});
  const json histogram = json::parse(heap.output, nullptr, false);
  if (histogram.is_discarded()) {
    ADD_FAILURE() << heap.errors << info.at("notes");
    return -1;
  }
  for (const json& type : histogram.at("types")) {
    if (type.at("type") == "ExceptionStorm.Ballast") return type.at("objects");
  }
  ADD_FAILURE() << histogram.at("heap");
  return -1;
}

// Names and objects are written after the pause: without being held, the process would be gone.
TEST_P(LiveRules, TakeAHeapSnapshotOfACrash) {
  for (const char* how : {"main", "thread", "pool"}) {
    EXPECT_EQ(BallastAtTheEnd(GetParam(), {"--unhandled", how}, "when=unhandled:snapshot"),
              kBallast)
        << how;
  }
  EXPECT_EQ(BallastAtTheEnd(GetParam(), {"--unhandled", "main"},
                            "sources=exceptions;when=unhandled:snapshot"),
            kBallast);
}

// The niceness of the copy of process `application` that writes a heap snapshot; nothing: there is
// none now.
std::optional<int> NiceOfCopy(pid_t application) {
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    std::string stat;  // stays empty for what is no process, or no longer one
    std::getline(std::ifstream(entry->path() / "stat"), stat);
    const std::string_view name = "(hindsight-snap) ";
    const size_t at = stat.find(name);
    if (at == stat.npos) continue;
    std::istringstream fields(stat.substr(at + name.size()));
    std::string state, skipped;
    pid_t parent = 0;
    int nice = 0;
    fields >> state >> parent;
    for (int i = 0; i < 14; ++i) fields >> skipped;
    fields >> nice;
    if (fields && parent == application && state != "Z") return nice;
  }
  return {};
}

// A thread is held until the heap of the crash is written: that waits for nobody, however busy the
// machine.
TEST_P(LiveRules, TheHeapOfACrashIsWrittenWithTheApplicationsPriority) {
  const int own = getpriority(PRIO_PROCESS, 0) + 1;
  const Workspace out;
  Process process({.arguments = Storm(GetParam(), {"--ballast", "3000000", "--unhandled", "main"}),
                   .environment = StartUp(out.path(), "when=unhandled:snapshot"),
                   .before_exec = [own] { setpriority(PRIO_PROCESS, 0, own); }},
                  out.path());
  std::set<int> seen;
  WaitUntil([&] {
    if (const std::optional<int> nice = NiceOfCopy(process.pid())) seen.insert(*nice);
    return !process.IsRunning();
  });
  EXPECT_EQ(seen, std::set<int>{own});
}

// Other snapshots leave the processors to the application.
TEST_P(LiveRules, OtherHeapsAreWrittenWithALowerPriority) {
  const Workspace out;
  SampleApplication application(
      {.command = HeapSample(GetParam(), "BigHeap"),
       .arguments = {"--objects", "3000000", "--rewrite", "8"},
       .environment =
           StartUp(out.path(), "when=cpu>1%/1s:snapshot;rules.every=1s;rules.most=100")});
  const int lower = getpriority(PRIO_PROCESS, 0) + 5;
  EXPECT_TRUE(WaitUntil([&] { return NiceOfCopy(application.pid()) == lower; }));
  application.End();
}

// When the runtime ends the process, nothing can stop the failing thread for a collection, and the
// process must end as fast as without the recorder.
TEST_P(LiveRules, SayWhyAFatalErrorHasNoHeapSnapshot) {
  const Workspace out;
  const Ended ended =
      RunToEnd({.arguments = Storm(GetParam(), {"--fatal", "fast"}),
                .environment = StartUp(out.path(), "when=unhandled:snapshot;rules.every=1s")});
  EXPECT_EQ(ended.signal, SIGABRT) << ended.Describe();
  const std::vector<fs::path> recordings = RecordingsIn(out.path());
  ASSERT_EQ(recordings.size(), 1u);
  const std::string notes = HindsightJson("info", recordings[0]).at("notes").dump();
  EXPECT_NE(notes.find("the failing thread cannot be stopped for one"), std::string::npos) << notes;
}

INSTANTIATE_TEST_SUITE_P(Net, LiveRules, testing::Values(8, 9, 10),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hindsight::live
