// `hindsight info` and `hindsight verify` as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run.h"
#include "tests/support/sample_recordings.h"

namespace hindsight::testing {
namespace {

using Json = nlohmann::json;

class Commands : public ::testing::Test {
 protected:
  Commands() { sample_.WriteFolder(folder_); }

  RunResult Hindsight(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HINDSIGHT_BINARY);
    return RunProgram(arguments);
  }

  static bool Contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }

  const TempDir dir_;
  const std::string folder_ = dir_ / "shop-4711.hindsight";
  const RecordingBuilder sample_ = SampleRecording();
};

TEST_F(Commands, VerifyFindsNothingInAnIntactRecording) {
  const RunResult text = Hindsight({"verify", folder_});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "");
  EXPECT_TRUE(Contains(text.out, " intact\n")) << text.out;
  EXPECT_TRUE(Contains(text.out, "closed cleanly: the process ended")) << text.out;
  EXPECT_TRUE(Contains(text.out, "exception messages")) << text.out;
  EXPECT_TRUE(Contains(text.out, "5 events: recorded without stacks")) << text.out;

  const RunResult result = Hindsight({"verify", "--json", folder_});
  EXPECT_EQ(result.exit_code, 0);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["intact"], true);
  EXPECT_EQ(json["intact_segments"], 8);
  EXPECT_EQ(json["end"], "process_exit");
  EXPECT_EQ(json["lost_events"], (Json{{"stack_unknown", 5}}));
  EXPECT_EQ(json["user_data"], (Json{"exception messages"}));
  EXPECT_EQ(json["complete_until_unix_ns"], json["last_unix_ns"]);
  EXPECT_EQ(json["undefined_references"], 0);
}

TEST_F(Commands, VerifySaysWhatIsDamagedWhereAndWhy) {
  std::string bytes = sample_.files()[1];
  const size_t offset = sample_.segment_offsets(1)[1];
  bytes[offset + kSegmentHeaderBytes + 20] ^= 1;
  WriteFile(folder_ + "/000002.hsr", bytes);
  const RunResult text = Hindsight({"verify", folder_});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_TRUE(Contains(text.out, "incomplete\n")) << text.out;
  EXPECT_TRUE(Contains(text.out, "segment 3: damaged, see below\n  ")) << text.out;
  EXPECT_TRUE(Contains(text.out, folder_ + "/000002.hsr at offset " + std::to_string(offset)))
      << text.out;
  EXPECT_TRUE(Contains(text.out, "the body's checksum does not match")) << text.out;

  const Json json = Json::parse(Hindsight({"verify", "--json", folder_}).out);
  EXPECT_EQ(json["intact"], false);
  EXPECT_EQ(json["lost_segments"], 1);
  EXPECT_EQ(json["missing_segments"][0]["cause"], "damaged");
  EXPECT_EQ(json["missing_segments"][0]["first_sequence"], 3);
  EXPECT_EQ(json["damaged_bytes"][0]["offset"], offset);
  EXPECT_EQ(json["damaged_bytes"][0]["sequence"], 3);
  EXPECT_LT(json["complete_until_unix_ns"], json["last_unix_ns"]);
}

TEST_F(Commands, VerifyDistinguishesAKilledProcessFromOneThatWasClosed) {
  const std::string path = folder_ + "/000003.hsr";
  WriteFile(path, sample_.files()[2].substr(0, sample_.segment_offsets(2)[2]));
  const RunResult result = Hindsight({"verify", folder_});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(Contains(result.out, "abrupt: the process was killed")) << result.out;
}

// How it ended is reported once, with the recording; damage is what is missing in between.
TEST_F(Commands, TheSummaryReportsABrokenOffEndOnce) {
  WriteFile(folder_ + "/000003.hsr", sample_.files()[2].substr(0, sample_.segment_offsets(2)[2]));
  const RunResult text = Hindsight({"summary", folder_});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_TRUE(Contains(text.out, "ends abruptly: the process was killed")) << text.out;
  EXPECT_FALSE(Contains(text.out, "damage")) << text.out;
  EXPECT_EQ(text.out.find("abruptly"), text.out.rfind("abruptly")) << text.out;
  const Json health = Json::parse(Hindsight({"summary", "--json", folder_}).out)["health"];
  EXPECT_EQ(health["complete"], false);
  EXPECT_TRUE(health["damages"].empty()) << health;
}

TEST_F(Commands, TheSummaryReportsWhatIsMissing) {
  std::string bytes = sample_.files()[1];
  bytes[sample_.segment_offsets(1)[1] + kSegmentHeaderBytes + 20] ^= 1;
  WriteFile(folder_ + "/000002.hsr", bytes);
  const RunResult text = Hindsight({"summary", folder_});
  EXPECT_TRUE(Contains(text.out, "missing   The recording is incomplete: 1 segment is lost"))
      << text.out;
}

TEST_F(Commands, VerifyCallsRotationNoDamage) {
  std::filesystem::remove(folder_ + "/000001.hsr");
  const RunResult result = Hindsight({"verify", folder_});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(Contains(result.out,
                       "segments 0 to 1 (2): deleted by the recorder to stay within limit.disk"))
      << result.out;
}

// Events that were dropped are missing, even if no byte of the files is.
TEST_F(Commands, NothingCallsARecordingIntactThatDroppedEvents) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { process { pid: 1 source: "exceptions" source: "gc" source: "locks" } }
      packet { loss { cause: RING_FULL count: 7 } }
      packet { recording_end { reason: STOPPED } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult verify = Hindsight({"verify", path});
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_TRUE(Contains(verify.out, " incomplete\n")) << verify.out;
  EXPECT_TRUE(Contains(verify.out, "7 events dropped")) << verify.out;
  EXPECT_EQ(Json::parse(Hindsight({"verify", "--json", path}).out)["intact"], false);
  const RunResult info = Hindsight({"info", path});
  EXPECT_TRUE(Contains(info.out, "7 events dropped: counts are lower bounds")) << info.out;
  EXPECT_EQ(Json::parse(Hindsight({"info", "--json", path}).out)["intact"], false);
  for (const char* command : {"exceptions", "gc", "locks"}) {
    const RunResult report = Hindsight({command, path});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_TRUE(Contains(report.out, "among the lost")) << report.out;
    EXPECT_FALSE(Contains(report.out, "No exception was thrown")) << report.out;
    EXPECT_FALSE(Contains(report.out, "No thread had to wait")) << report.out;
    EXPECT_FALSE(Contains(report.out, "No collection or pause in this period")) << report.out;
  }
}

// What was only counted is there, without its details: not damaged, but not intact either.
TEST_F(Commands, CountsWithoutDetailsAreReportedAsSuch) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { process { pid: 1 source: "exceptions" } }
      packet { exception { id_delta: 1 outcome { kind: CAUGHT } } }
      packet { exception_tally { thrown: 3 ended { kind: CAUGHT count: 3 } } }
      packet { lock_wait_tally { began: 2 ended: 2 } }
      packet { recording_end { reason: STOPPED } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult verify = Hindsight({"verify", path});
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  EXPECT_TRUE(Contains(verify.out, "complete counts, some details missing\n")) << verify.out;
  EXPECT_TRUE(Contains(verify.out, "details exist for 1 in 4.0 of 4 throws, and none of 2 waits"))
      << verify.out;
  EXPECT_EQ(Json::parse(Hindsight({"verify", "--json", path}).out)["counted"],
            (Json{{"throws", 4}, {"counted_throws", 3}, {"waits", 2}, {"counted_waits", 2}}));
  const RunResult info = Hindsight({"info", path});
  EXPECT_TRUE(Contains(info.out, "complete counts, some details missing")) << info.out;
  const Json report = Json::parse(Hindsight({"exceptions", "--json", path}).out);
  EXPECT_EQ(report["exceptions"], 4);
  EXPECT_EQ(report["outcomes"]["caught"], 3);
  EXPECT_EQ(report["outcomes"]["in_flight"], 0);
}

TEST_F(Commands, VerifyFindsReferencesToNothing) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { exception { id_delta: 1 type: 5 } }
      packet { recording_end { reason: STOPPED } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult result = Hindsight({"verify", path});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_TRUE(Contains(result.out, "1 reference to unrecorded names")) << result.out;
}

TEST_F(Commands, InfoReportsTheProcessAndTheRecorder) {
  const RunResult text = Hindsight({"info", folder_});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.err, "");
  for (const char* part :
       {"Shop, pid 4711 on web-1", "dotnet Shop.dll", ".NET 10.0.12, x86_64, Linux 6.1",
        "4 CPUs, 16.0 GiB memory", "from process start", "5 events: recorded without", "a note",
        "exception           24", "8.0 ms wall time on the application's threads, in 24 callbacks",
        "1.0 MiB memory", "integrity      intact"}) {
    EXPECT_TRUE(Contains(text.out, part)) << part << "\n" << text.out;
  }

  const RunResult result = Hindsight({"info", "--json", folder_});
  EXPECT_EQ(result.exit_code, 0);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["process"]["pid"], 4711);
  EXPECT_EQ(json["process"]["command_line"], (Json{"dotnet", "Shop.dll"}));
  EXPECT_EQ(json["packets"]["exception"], 24);
  EXPECT_EQ(json["packets"]["segment_start"], 8);
  EXPECT_EQ(json["segments"], 8);
  EXPECT_EQ(json["end"], "process_exit");
  EXPECT_EQ(json["recorder_cost"]["callbacks"], 24);
  // 8 ms of callbacks in the 7.004 s from the start to the cost's packet.
  EXPECT_NEAR(json["recorder_cost"]["cores"].get<double>(), 0.008 / 7.004, 1e-9);
}

TEST_F(Commands, InfoDistinguishesCpuTimeAndWaiting) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { process { application: "Shop" } }
      packet { time_delta_ns: 1000000000 recorder_cost {
        callbacks: 100 callback_ns: 9000000 callback_cpu_ns: 1000000 callbacks_measured: 40
        thread_cpu_ns: 5000000 paused_ns: 3000000
        cpu_samples: 10 cpu_handler_ns: 2020000 cpu_handler_cpu_ns: 20000 } }
      packet { recording_end { reason: STOPPED } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult text = Hindsight({"info", path});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* part :
       {"0.6 % of a core over 1.00 s",
        "1.0 ms CPU time on the application's threads, in 100 callbacks (10.0 us each) and 10 CPU "
        "samples",
        "5.0 ms CPU time of its own threads",
        "13.0 ms of waiting by the application: 3.0 ms in pauses for snapshots, 10.0 ms "
        "descheduled in callbacks"}) {
    EXPECT_TRUE(Contains(text.out, part)) << part << "\n" << text.out;
  }
  const Json cost = Json::parse(Hindsight({"info", "--json", path}).out)["recorder_cost"];
  EXPECT_EQ(cost["is_cpu_time"], true);
  EXPECT_EQ(cost["application_cpu_ns"], 1'020'000);
  EXPECT_EQ(cost["thread_cpu_ns"], 5'000'000);
  EXPECT_EQ(cost["waited_ns"], 10'000'000);
  EXPECT_EQ(cost["paused_ns"], 3'000'000);
  EXPECT_NEAR(cost["cores"].get<double>(), 0.00602, 1e-9);
}

// Windows has no signals: threads are suspended for samples, and use no CPU time for them.
TEST_F(Commands, InfoTellsSuspensionsForSamplesOnWindows) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { process { application: "Shop" os: "Windows 10.0.19045" } }
      packet { time_delta_ns: 1000000000 recorder_cost {
        callbacks: 100 callback_ns: 9000000 callback_cpu_ns: 1000000 callbacks_measured: 40
        thread_cpu_ns: 5000000 paused_ns: 3000000
        cpu_samples: 10 cpu_handler_ns: 2000000 } }
      packet { recording_end { reason: STOPPED } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult text = Hindsight({"info", path});
  for (const char* part :
       {"1.0 ms CPU time on the application's threads, in 100 callbacks (10.0 us each)\n",
        "13.0 ms of waiting by the application: 3.0 ms in pauses for snapshots, 10.0 ms "
        "descheduled in callbacks or suspended for CPU samples",
        "CPU samples: 10, with their threads suspended for 2.0 ms (200.0 us each"}) {
    EXPECT_TRUE(Contains(text.out, part)) << part << "\n" << text.out;
  }
  const Json cost = Json::parse(Hindsight({"info", "--json", path}).out)["recorder_cost"];
  EXPECT_EQ(cost["is_cpu_time"], true);
  EXPECT_EQ(cost["application_cpu_ns"], 1'000'000);
  EXPECT_EQ(cost["waited_ns"], 10'000'000);
  EXPECT_NEAR(cost["cores"].get<double>(), 0.006, 1e-9);
}

TEST_F(Commands, ForeignTextDoesNotReachTheTerminalRaw) {
  RecordingBuilder builder;
  builder.AddText(R"(
      packet { segment_start { monotonic_ns: 1 unix_ns: 1 } }
      packet { process { application: "\033]0;owned\007" } }
      packet { recorder_note { text: "\033[2J" } })");
  const std::string path = dir_ / "file.hsr";
  WriteFile(path, builder.files()[0]);
  const RunResult result = Hindsight({"info", path});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_FALSE(Contains(result.out, "\x1b"));
  EXPECT_TRUE(Contains(result.out, "\\x1b[2J")) << result.out;
}

TEST_F(Commands, HelpNamesTheExitCodes) {
  const RunResult result = Hindsight({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* part : {"info", "verify", "Exit codes", "64"}) {
    EXPECT_TRUE(Contains(result.out, part)) << part;
  }
}

TEST_F(Commands, WrongUsageIsExitCode64) {
  EXPECT_EQ(Hindsight({"verify"}).exit_code, 64);
  EXPECT_EQ(Hindsight({"verify", "--nonsense", folder_}).exit_code, 64);
  EXPECT_EQ(Hindsight({"nonsense"}).exit_code, 64);
}

TEST_F(Commands, AFullDiskUnderTheOutputIsNoticed) {
  const RunResult result =
      RunProgram({"sh", "-c", "\"$1\" info \"$2\" > /dev/full", "sh", HINDSIGHT_BINARY, folder_});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_TRUE(Contains(result.err, "cannot write the output")) << result.err;
}

}  // namespace
}  // namespace hindsight::testing
