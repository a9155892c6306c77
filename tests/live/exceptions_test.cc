// Every exception of ExceptionStorm is in the report: right type, message, path, catcher and hops,
// and nothing else is; started and attached, on every runtime.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/live/harness/process.h"
#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/harness/truth.h"

namespace hindsight::live {
namespace {

constexpr int kScale = 3;
constexpr int kAttaches = 10;

TruthEntry Uncaught(const std::vector<std::string>& path) {
  TruthEntry entry;
  entry.name = "unhandled";
  entry.type = "ExceptionStorm.UncaughtException";
  entry.message = "nobody catches this";
  entry.path = path;
  entry.outcome = "unhandled";
  entry.first_round = 1;
  return entry;
}

// Of --late, in the order in which they are thrown.
std::vector<TruthEntry> CaughtLate(const std::string& how) {
  TruthEntry thrown;
  thrown.name = "thrown before " + how;
  thrown.type = "ExceptionStorm.LateException";
  thrown.message = "caught late";
  thrown.outcome = "caught";
  thrown.first_round = 1;
  if (how == "rethrow") {
    thrown.path = {"ExceptionStorm.Late.Throw", "ExceptionStorm.Late.Rethrow",
                   "ExceptionStorm.Late.Run", "ExceptionStorm.Program.Main"};
    thrown.catcher = "ExceptionStorm.Late.Run";
    thrown.hops = 1;
    thrown.hop = "rethrow";
    return {thrown};
  }
  thrown.path = {"ExceptionStorm.Late.Throw", "ExceptionStorm.Late.Wrap", "ExceptionStorm.Late.Run",
                 "ExceptionStorm.Program.Main"};
  thrown.catcher = "ExceptionStorm.Late.Wrap";
  TruthEntry wrapper = thrown;
  wrapper.name = "caught late";
  wrapper.type = "ExceptionStorm.LateWrapperException";
  wrapper.message = "wrapped, and caught late";
  wrapper.path.erase(wrapper.path.begin());
  wrapper.catcher = "ExceptionStorm.Late.Run";
  wrapper.cause = thrown.type;
  return {thrown, wrapper};
}

class ExceptionsTest : public testing::TestWithParam<int> {
 protected:
  // The only recording in the output folder, which must be intact.
  std::filesystem::path OnlyRecording() {
    const auto recordings = RecordingsIn(output_);
    if (recordings.size() != 1) {
      ADD_FAILURE() << recordings.size() << " recordings instead of one";
      return {};
    }
    const Ended verified = Hindsight("verify", recordings.front());
    EXPECT_EQ(verified.exit_code, 0) << verified.Describe();
    return recordings.front();
  }

  std::vector<std::string> StormThatWaits(int rounds) {
    return Storm(GetParam(), {"--scale", std::to_string(kScale), "--rounds", std::to_string(rounds),
                              "--go", workspace_ / "go", "--end", workspace_ / "end"});
  }

  // Lets the storm run one round to its end.
  bool RunRound(int round, Process& storm) {
    const std::string go = workspace_ / ("go." + std::to_string(round));
    WriteFile(go);
    return WaitUntil([&] { return std::filesystem::exists(go + ".done") || !storm.IsRunning(); }) &&
           storm.IsRunning();
  }

  Ended Attach(const Process& storm) {
    return Trigger({"attach", std::to_string(storm.pid()), "--profiler", HINDSIGHT_RECORDER,
                    "--output", output_.string()},
                   workspace_.path());
  }
  Ended Stop(const Process& storm) {
    return Trigger({"stop", std::to_string(storm.pid())}, workspace_.path());
  }

  Command WithTmp(std::vector<std::string> arguments) {
    return {.arguments = std::move(arguments),
            .environment = {{"TMPDIR", workspace_.path().string()}}};
  }

  Workspace workspace_;
  const std::filesystem::path output_ = workspace_ / "out";
  Truth truth_{StormTruth()};
};

TEST_P(ExceptionsTest, AreAllThereFromTheStart) {
  const std::vector<std::string> storm = Storm(GetParam(), {"--scale", std::to_string(kScale)});
  std::vector<std::string> launch = {"launch",   "--quiet",        "--profiler", HINDSIGHT_RECORDER,
                                     "--output", output_.string(), "--"};
  launch.insert(launch.end(), storm.begin(), storm.end());
  const Ended ended = Trigger(launch, workspace_.path());
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  EXPECT_EQ(ended.output, "ready\ndone\n");
  EXPECT_EQ(ended.errors, "");
  const std::filesystem::path recording = OnlyRecording();
  EXPECT_EQ(truth_.Differences(Groups(recording), {.runtime = GetParam(), .scale = kScale}), "");
  // The storm starts threads, which wait for their creator before they have a frame.
  const nlohmann::json report = HindsightJson("exceptions", recording);
  const nlohmann::json& losses = report.at("recording").at("losses");
  for (const char* cause : {"ring_full", "memory_cap", "stacks_missing"}) {
    EXPECT_EQ(losses.at(cause), 0) << cause;
  }
}

TEST_P(ExceptionsTest, AreAllThereAfterAnAttach) {
  Process storm(WithTmp(StormThatWaits(1)), workspace_.path());
  ASSERT_TRUE(storm.WaitForOutput("ready")) << storm.Errors();
  const Ended attached = Attach(storm);
  ASSERT_TRUE(attached.Succeeded()) << attached.Describe();
  ASSERT_TRUE(RunRound(1, storm)) << storm.Errors();
  const Ended stopped = Stop(storm);
  ASSERT_TRUE(stopped.Succeeded()) << stopped.Describe();
  EXPECT_EQ(truth_.Differences(Groups(OnlyRecording()), {.runtime = GetParam(), .scale = kScale}),
            "");

  WriteFile(workspace_ / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended && ended->Succeeded()) << (ended ? ended->Describe() : "still running");
  EXPECT_EQ(ended->output, "ready\ndone\n");
  EXPECT_EQ(ended->errors, "");
}

// On .NET 9 and later, the runtime's events begin to report exceptions soon after the first one:
// here between a throw in a handler and the handler that ends it.
TEST_P(ExceptionsTest, ThatAreInFlightWhenEventsBeginAreThereOnce) {
  for (const std::string how : {"wrap", "rethrow"}) {
    SCOPED_TRACE(how);
    const Ended ended = RunToEnd(
        {.arguments = Storm(GetParam(), {"--late", how}), .environment = StartUp(output_)});
    EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
    Truth truth(StormTruth());
    for (const TruthEntry& entry : CaughtLate(how)) truth.Add(entry);
    const std::filesystem::path recording = OnlyRecording();
    EXPECT_EQ(truth.Differences(Groups(recording), {.runtime = GetParam()}), "");
    std::filesystem::remove_all(recording);
  }
}

TEST_P(ExceptionsTest, AreAllThereInEachOfTenAttachesInARow) {
  Process storm(WithTmp(StormThatWaits(kAttaches)), workspace_.path());
  ASSERT_TRUE(storm.WaitForOutput("ready")) << storm.Errors();
  for (int round = 1; round <= kAttaches; ++round) {
    SCOPED_TRACE(round);
    const Ended attached = Attach(storm);
    ASSERT_TRUE(attached.Succeeded()) << attached.Describe();
    ASSERT_TRUE(RunRound(round, storm)) << storm.Errors();
    const Ended stopped = Stop(storm);
    ASSERT_TRUE(stopped.Succeeded()) << stopped.Describe();
    const std::filesystem::path recording = OnlyRecording();
    ASSERT_EQ(
        truth_.Differences(
            Groups(recording),
            {.runtime = GetParam(), .scale = kScale, .rounds = 1, .has_first_round = round == 1}),
        "");
    std::filesystem::remove_all(recording);
  }
  WriteFile(workspace_ / "end");
  const auto ended = storm.Wait();
  ASSERT_TRUE(ended && ended->Succeeded()) << (ended ? ended->Describe() : "still running");
  EXPECT_EQ(ended->errors, "");
}

TEST_P(ExceptionsTest, ThatNobodyCatchesAreRecordedAndEndTheProcessAsEver) {
  const std::pair<std::string, std::vector<std::string>> kinds[] = {
      {"main",
       {"ExceptionStorm.Unhandled.Fail", "ExceptionStorm.Unhandled.Run",
        "ExceptionStorm.Program.Main"}},
      {"thread", {"ExceptionStorm.Unhandled.Fail", "*"}},
      {"pool", {"ExceptionStorm.Unhandled.Fail", "ExceptionStorm.Unhandled.Run.lambda#0", "*"}},
      {"rethrow",
       {"ExceptionStorm.Unhandled.Fail", "ExceptionStorm.Unhandled.Rethrow",
        "ExceptionStorm.Unhandled.Run", "ExceptionStorm.Program.Main"}},
  };
  for (const auto& [how, path] : kinds) {
    SCOPED_TRACE(how);
    const std::vector<std::string> storm = Storm(GetParam(), {"--unhandled", how});
    const Ended bare = RunToEnd({.arguments = storm});
    const Ended recorded = RunToEnd({.arguments = storm, .environment = StartUp(output_)});
    EXPECT_EQ(recorded.signal, SIGABRT);
    EXPECT_EQ(recorded.signal, bare.signal);
    EXPECT_EQ(recorded.output, bare.output);
    EXPECT_EQ(recorded.errors, bare.errors);

    const auto recordings = RecordingsIn(output_);
    ASSERT_EQ(recordings.size(), 1u);
    Truth truth(StormTruth());
    TruthEntry uncaught = Uncaught(path);
    // From .NET 9 on, it is not reported that a handler rethrows an exception that is then
    // unhandled.
    if (how == "rethrow" && GetParam() == 8) {
      uncaught.hops = 1;
      uncaught.hop = "rethrow";
    }
    truth.Add(uncaught);
    EXPECT_EQ(truth.Differences(Groups(recordings.front()), {.runtime = GetParam()}), "");
    std::filesystem::remove_all(recordings.front());
  }
}

// Errors for which the runtime ends the process at once, without an exception.
TEST_P(ExceptionsTest, FatalErrorsAreRecordedAndEndTheProcessAsEver) {
  const struct {
    const char* how;
    const char* kind;
    const char* message;
    const char* site;
    size_t least_frames;  // for a stack overflow, only the innermost
  } kinds[] = {
      {"fast", "fail_fast", "the ledger is corrupt", "ExceptionStorm.Fatal.GiveUp", 3},
      {"overflow", "stack_overflow", "StackOverflowException", "ExceptionStorm.Fatal.Deeper", 1},
  };
  const auto first_line = [](const std::string& text) { return text.substr(0, text.find('\n')); };
  for (const auto& expected : kinds) {
    SCOPED_TRACE(expected.how);
    const std::vector<std::string> storm = Storm(GetParam(), {"--fatal", expected.how});
    const Ended bare = RunToEnd({.arguments = storm});
    const Ended recorded = RunToEnd({.arguments = storm, .environment = StartUp(output_)});
    EXPECT_EQ(recorded.signal, SIGABRT);
    EXPECT_EQ(recorded.signal, bare.signal);
    EXPECT_EQ(recorded.output, bare.output);
    // How deep the stack was by then differs each time.
    EXPECT_EQ(first_line(recorded.errors), first_line(bare.errors));

    const auto recordings = RecordingsIn(output_);
    ASSERT_EQ(recordings.size(), 1u);
    const nlohmann::json report = HindsightJson("exceptions", recordings.front());
    ASSERT_TRUE(report.contains("fatal_error")) << report.dump(2);
    const nlohmann::json& error = report.at("fatal_error");
    EXPECT_EQ(error.at("kind"), expected.kind);
    EXPECT_EQ(error.at("message"), expected.message);
    EXPECT_EQ(error.at("place").at("site").at("name"), expected.site) << error.dump(2);
    EXPECT_EQ(error.at("thread").at("name"), "storm-main");
    EXPECT_GE(error.at("stack").size(), expected.least_frames) << error.dump(2);
    const nlohmann::json summary = HindsightJson("summary", recordings.front());
    ASSERT_FALSE(summary.at("findings").empty());
    EXPECT_EQ(summary.at("findings").front().at("kind"), "fatal-error");
    std::filesystem::remove_all(recordings.front());
  }
}

TEST_P(ExceptionsTest, WhoEndedTheProcessIsNamed) {
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam(), {"--fatal", "exit"}), .environment = StartUp(output_)});
  EXPECT_EQ(ended.exit_code, 3) << ended.Describe();
  const nlohmann::json exit = HindsightJson("summary", OnlyRecording());
  EXPECT_EQ(exit.at("ended"),
            "ended with the process: ExceptionStorm.Fatal.Leave called Environment.Exit");
  std::filesystem::remove_all(OnlyRecording());
  // Main returns: nobody ended it.
  EXPECT_TRUE(
      RunToEnd({.arguments = Storm(GetParam()), .environment = StartUp(output_)}).Succeeded());
  EXPECT_EQ(HindsightJson("summary", OnlyRecording()).at("ended"), "ended with the process");
}

// The runtime calls handlers of such signals on a thread of its own.
TEST_P(ExceptionsTest, ASignalThatEndedTheProcessIsNamed) {
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam(), {"--fatal", "signal"}), .environment = StartUp(output_)});
  EXPECT_TRUE(ended.Succeeded()) << ended.Describe();
  const std::string how = HindsightJson("summary", OnlyRecording()).at("ended");
  EXPECT_TRUE(how.starts_with("ended with the process, ") &&
              how.ends_with(" after SIGTERM or SIGINT"))
      << how;
}

// From .NET 9 on there is also an exception for it, whose end the process does not live to report.
TEST_P(ExceptionsTest, AnAccessViolationEndedTheProcessForSure) {
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam(), {"--fatal", "violation"}), .environment = StartUp(output_)});
  EXPECT_EQ(ended.signal, SIGABRT) << ended.Describe();
  const auto recordings = RecordingsIn(output_);
  ASSERT_EQ(recordings.size(), 1u);
  const nlohmann::json summary = HindsightJson("summary", recordings.front());
  ASSERT_FALSE(summary.at("findings").empty());
  EXPECT_EQ(summary.at("findings").front().at("title"),
            GetParam() == 8 ? "An access violation ended the process"
                            : "System.AccessViolationException was unhandled and ended the process")
      << summary.dump(1);
}

TEST_P(ExceptionsTest, KnowTheNamesOfTheirThreads) {
  const Ended ended = RunToEnd({.arguments = Storm(GetParam()), .environment = StartUp(output_)});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  std::map<std::string, uint64_t> counts;
  const nlohmann::json report = HindsightJson("exceptions", OnlyRecording());
  for (const auto& group : report.at("groups")) {
    if (group.at("type").at("name") != "ExceptionStorm.CrowdException") continue;
    for (const auto& share : group.at("threads")) {
      counts[share.at("thread").at("name").get<std::string>()] += share.at("count").get<uint64_t>();
    }
  }
  EXPECT_EQ(counts, (std::map<std::string, uint64_t>{
                        {"storm-0", 5}, {"storm-1", 5}, {"storm-2", 5}, {"storm-3", 5}}));
}

TEST_P(ExceptionsTest, HaveNoMessageWhereThatIsTurnedOff) {
  const Ended ended = RunToEnd(
      {.arguments = Storm(GetParam()), .environment = StartUp(output_, "exceptions.messages=off")});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  const std::filesystem::path recording = OnlyRecording();
  const std::vector<ReportedGroup> groups = Groups(recording);
  EXPECT_FALSE(groups.empty());
  // The raw bytes: no part of a message anywhere.
  const Ended raw = RunToEnd({.arguments = {"sh", "-c", "zstdcat \"$0\"/*", recording.string()}});
  ASSERT_TRUE(raw.Succeeded()) << raw.Describe();
  EXPECT_NE(raw.output.find("FramelessException"), std::string::npos);
  EXPECT_EQ(raw.output.find("too small for a frame"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Net, ExceptionsTest, testing::ValuesIn(kRuntimes),
                         testing::PrintToStringParamName());

TEST(SteadyTest, HasNothingToReport) {
  const Workspace workspace;
  const Ended ended = RunToEnd(
      {.arguments = Steady({"--seconds", "3"}), .environment = StartUp(workspace / "out")});
  ASSERT_TRUE(ended.Succeeded()) << ended.Describe();
  EXPECT_EQ(ended.output, "ready\ndone\n");
  EXPECT_EQ(ended.errors, "");
  const auto recordings = RecordingsIn(workspace / "out");
  ASSERT_EQ(recordings.size(), 1u);
  const nlohmann::json report = HindsightJson("exceptions", recordings.front());
  EXPECT_EQ(report.at("exceptions"), 0);
  EXPECT_TRUE(report.at("groups").empty());
  EXPECT_TRUE(HindsightJson("verify", recordings.front()).at("intact").get<bool>());
}

}  // namespace
}  // namespace hindsight::live
