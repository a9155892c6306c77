// attach, status, stop, list and launch with the real recorder.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/live/harness/recording.h"
#include "tests/live/harness/sample.h"
#include "tests/live/trigger_stage.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using trigger::TriggerExit;

class Recording : public testing::Test {
 protected:
  Ended Attach(const std::string& pid) {
    return stage_.Run({"attach", pid, "--output", stage_.Recordings()});
  }
  std::string ListedState(pid_t pid) {
    for (const json& row : stage_.RunJson({"list"})) {
      if (row["pid"] == pid) return row["recorded"];
    }
    return "not listed";
  }
  static void ExpectARecording(const fs::path& folder) {
    ASSERT_TRUE(fs::is_directory(folder)) << folder;
    EXPECT_FALSE(fs::is_empty(folder)) << folder;
  }

  Stage stage_;
};

TEST_F(Recording, IsStartedSeenAndEnded) {
  Application application(stage_);
  EXPECT_EQ(ListedState(application.pid()), "no");
  const Ended attached = Attach(application.Pid());
  ASSERT_TRUE(Is(attached, TriggerExit::kOk));
  EXPECT_NE(attached.output.find("hindsight-trigger stop " + application.Pid()), std::string::npos);

  const json status = stage_.RunJson({"status", application.Pid()});
  ASSERT_TRUE(status["ok"]) << status;
  EXPECT_EQ(status["status"]["state"], "recording");
  EXPECT_EQ(status["status"]["mode"], "attach");
  const std::string output = status["status"]["output"];
  EXPECT_TRUE(output.starts_with(stage_.Recordings() + "/Steady-" + application.Pid())) << output;
  EXPECT_NE(attached.output.find(output), std::string::npos);
  EXPECT_EQ(ListedState(application.pid()), "recording");
  EXPECT_TRUE(Is(Attach(application.Pid()), TriggerExit::kAlreadyRecorded, output));

  const Ended stopped = stage_.Run({"stop", application.Pid()});
  ASSERT_TRUE(Is(stopped, TriggerExit::kOk));
  EXPECT_NE(stopped.output.find("hindsight summary " + output), std::string::npos);
  ExpectARecording(output);
  EXPECT_TRUE(Is(stage_.Run({"status", application.Pid()}), TriggerExit::kNotRecorded));
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, IsReportedInJsonAsDescribed) {
  Application application(stage_);
  const std::string pid = application.Pid();
  EXPECT_EQ(stage_.RunJson({"attach", pid, "--for", "1h", "--output", stage_.Recordings(),
                            "--sources", "threads,waits,heap"})["ok"],
            true);
  EXPECT_GT(stage_.RunJson({"status", pid})["status"]["remaining_ns"], 0);
  EXPECT_GT(stage_.RunJson({"snapshot", pid, "--threads"})["snapshot"]["threads"], 0);
  EXPECT_GT(stage_.RunJson({"snapshot", pid})["snapshot"]["objects"], 0);
  EXPECT_EQ(stage_.RunJson({"stop", pid})["ok"], true);
  EXPECT_EQ(stage_.RunJson({"stop", pid})["exit_code"],
            static_cast<int>(TriggerExit::kNotRecorded));
  EXPECT_FALSE(stage_.RunJson({"sources"}).empty());
  EXPECT_FALSE(stage_.RunJson({"exit-codes"}).empty());
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, TheSameProcessAgainAndAgain) {
  Application application(stage_);
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(Is(Attach(application.Pid()), TriggerExit::kOk)) << "round " << round;
    ASSERT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk)) << "round " << round;
  }
  size_t recordings = 0;
  for (const auto& entry : fs::directory_iterator(stage_.Recordings())) {
    ExpectARecording(entry.path());
    ++recordings;
  }
  EXPECT_EQ(recordings, 10u);
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, KeepsWhatIsThereWhileItGoesOn) {
  Application application(stage_);
  const std::string pid = application.Pid();
  ASSERT_TRUE(Is(Attach(pid), TriggerExit::kOk));
  ASSERT_TRUE(Is(stage_.Run({"snapshot", pid}), TriggerExit::kOk));
  const json kept = stage_.RunJson({"keep", pid, "--last", "1h", "--output", stage_.Recordings()});
  ASSERT_TRUE(kept["ok"]) << kept;
  EXPECT_EQ(kept["kept"]["snapshots"], 1);
  EXPECT_EQ(stage_.RunJson({"status", pid})["status"]["state"], "recording");

  const fs::path copy = std::string(kept["kept"]["path"]);
  const json verdict = HindsightJson("verify", copy);
  EXPECT_EQ(verdict.at("lost_segments"), 0) << verdict;
  EXPECT_EQ(verdict.at("damage_count"), 0) << verdict;
  EXPECT_TRUE(Hindsight("leaks", copy).Succeeded());
  // It has its own id, and says what it is a part of.
  const fs::path whole = std::string(stage_.RunJson({"status", pid})["status"]["output"]);
  const json cut = HindsightJson("info", copy).at("process").at("cut");
  ASSERT_TRUE(cut.is_object()) << cut;
  EXPECT_EQ(cut.at("is_kept"), true);
  EXPECT_EQ(cut.at("name"), whole.filename().string());
  const std::string ids = "SELECT recording_id, part_of, ended FROM recordings";
  const json of_copy = HindsightJson("sql", copy, {ids}).at("rows").at(0);
  const json of_whole = HindsightJson("sql", whole, {ids}).at("rows").at(0);
  EXPECT_EQ(of_copy, json::array({of_copy[0], of_whole[0], "cut"}));
  EXPECT_NE(of_copy[0], of_whole[0]);
  EXPECT_EQ(of_whole[1], nullptr);
  EXPECT_TRUE(Is(stage_.Run({"keep", pid, "--output", (stage_ / "nowhere").string()}),
                 TriggerExit::kInternal, "No such file or directory"));
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  EXPECT_TRUE(Is(stage_.Run({"keep", pid}), TriggerExit::kNotRecorded));
  EXPECT_TRUE(application.EndsWell());
}

// After the detach, too, wherever it was recorded, and nothing of other applications, though their
// recordings are in the same user's default folder.
TEST_F(Recording, IsPulledAfterItHasEnded) {
  for (const char* name : {"tmp", "out", "again"}) fs::create_directory(stage_ / name);
  Application application(stage_, {{"TMPDIR", (stage_ / "tmp").string()}});
  const std::string pid = application.Pid();
  const auto pull = [&](const char* folder) {
    return stage_.RunJson({"pull", pid, "--output", (stage_ / folder).string()});
  };
  EXPECT_EQ(pull("out")["exit_code"], static_cast<int>(TriggerExit::kNotRecorded));

  // Once into the default folder, which contains one of another application.
  ASSERT_TRUE(Is(stage_.Run({"attach", pid}), TriggerExit::kOk));
  const fs::path usual = std::string(stage_.RunJson({"status", pid})["status"]["output"]);
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  const fs::path other = usual.parent_path() / "Other-1-20261126T120000Z.hindsight";
  fs::copy(usual, other, fs::copy_options::recursive);
  EXPECT_EQ(pull("out")["recordings"].size(), 1u);

  // And once elsewhere.
  ASSERT_TRUE(Is(Attach(pid), TriggerExit::kOk));
  const fs::path recorded = std::string(stage_.RunJson({"status", pid})["status"]["output"]);
  EXPECT_EQ(recorded.parent_path(), stage_.Recordings());
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  EXPECT_TRUE(Is(stage_.Run({"status", pid}), TriggerExit::kNotRecorded));
  const Ended pulled = stage_.Run({"pull", pid, "--output", (stage_ / "again").string()});
  ASSERT_TRUE(Is(pulled, TriggerExit::kOk));
  EXPECT_NE(pulled.output.find("Recordings of process " + pid + ":\n"), std::string::npos)
      << pulled.output;
  EXPECT_NE(pulled.output.find("1 recording of other applications"), std::string::npos)
      << pulled.output;
  const json verdict = HindsightJson("verify", stage_ / "again" / recorded.filename());
  EXPECT_EQ(verdict.at("damage_count"), 0) << verdict;
  EXPECT_TRUE(fs::exists(stage_ / "again" / usual.filename()));
  EXPECT_FALSE(fs::exists(stage_ / "again" / other.filename()));
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, EndsByItselfAfterItsTime) {
  Application application(stage_);
  ASSERT_TRUE(Is(
      stage_.Run({"attach", application.Pid(), "--for", "200ms", "--output", stage_.Recordings()}),
      TriggerExit::kOk));
  EXPECT_TRUE(WaitUntil([&] {
    return Is(stage_.Run({"status", application.Pid()}), TriggerExit::kNotRecorded);
  }));
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, LaunchRecordsFromTheStart) {
  Application application(stage_, {},
                          {stage_.Trigger(), "launch", "--output", stage_.Recordings(), "--"});
  const json status = stage_.RunJson({"status", application.Pid()});
  ASSERT_TRUE(status["ok"]) << status;
  EXPECT_EQ(status["status"]["mode"], "startup");
  const std::string output = status["status"]["output"];
  // Where it is, and what to type next: as it stands, the pattern finds the recording.
  const std::string said = "Recording process " + application.Pid() +
                           ", and its .NET children\n  into  " + stage_.Recordings() +
                           "/NAME-PID-TIME.hindsight\n  stop  hindsight-trigger stop " +
                           application.Pid() + "\n  read  hindsight summary " +
                           stage_.Recordings() + "/*-" + application.Pid() +
                           "-*.hindsight\n  list  hindsight list " + stage_.Recordings() + "\n";
  EXPECT_EQ(fs::path(output).filename().string().find("Steady-" + application.Pid() + "-"), 0u);
  EXPECT_TRUE(application.EndsWell(said));
  ExpectARecording(output);
}

TEST_F(Recording, LaunchIsQuietWhenAsked) {
  Application application(
      stage_, {}, {stage_.Trigger(), "launch", "--quiet", "--output", stage_.Recordings(), "--"});
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Recording, LaunchRefusesToDriveOutAnotherProfiler) {
  const Ended ended =
      RunToEnd({.arguments = {stage_.Trigger(), "launch", "--", "true"},
                .environment = {{"CORECLR_ENABLE_PROFILING", "1"},
                                {"CORECLR_PROFILER", "{00000001-0000-0000-0000-000000000000}"}}});
  EXPECT_TRUE(Is(ended, TriggerExit::kProfilerInEnvironment, "CORECLR_PROFILER="));
}

// A container in miniature: its own mounts, its own pids, its own TMPDIR.
TEST_F(Recording, AProcessInItsOwnNamespaces) {
  ASSERT_EQ(geteuid(), 0u) << "namespaces need root";
  fs::create_directory(stage_ / "tmp");
  Application container(stage_, {{"TMPDIR", (stage_ / "tmp").string()}},
                        {"unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"});
  // The application is the child of unshare, and pid 1 in there.
  pid_t inner = 0;
  ASSERT_TRUE(WaitUntil([&] {
    const std::string children =
        ReadFile("/proc/" + container.Pid() + "/task/" + container.Pid() + "/children");
    inner = std::atoi(children.c_str());
    return inner > 0;
  }));
  const std::string pid = std::to_string(inner);
  EXPECT_EQ(ListedState(inner), "no");
  const Ended attached = Attach(pid);
  ASSERT_TRUE(Is(attached, TriggerExit::kOk));
  EXPECT_NE(attached.output.find("/proc/" + pid + "/root" + stage_.Recordings()), std::string::npos)
      << attached.output;
  EXPECT_TRUE(fs::exists(stage_ / "tmp/hindsight-0/control/1.sock"));
  EXPECT_EQ(ListedState(inner), "recording");
  ASSERT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kOk));
  EXPECT_TRUE(container.EndsWell());
}

TEST_F(Recording, TheSocketOfAKilledProcessIsNoRecording) {
  Application first(stage_);
  ASSERT_TRUE(Is(Attach(first.Pid()), TriggerExit::kOk));
  const std::string sockets = "/tmp/hindsight-" + std::to_string(geteuid()) + "/control/";
  const fs::path left = sockets + first.Pid() + ".sock";
  first.process().Signal(SIGKILL);
  ASSERT_TRUE(first.process().Wait());
  ASSERT_TRUE(fs::exists(left));
  Application second(stage_);
  fs::rename(left, sockets + second.Pid() + ".sock");
  EXPECT_TRUE(Is(stage_.Run({"status", second.Pid()}), TriggerExit::kNotRecorded));
  EXPECT_TRUE(Is(Attach(second.Pid()), TriggerExit::kOk));
  EXPECT_TRUE(Is(stage_.Run({"stop", second.Pid()}), TriggerExit::kOk));
  EXPECT_TRUE(second.EndsWell());
}

}  // namespace
}  // namespace hindsight::live
