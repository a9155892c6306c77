// Whatever other users do: a recording can be controlled, or it ends.
#include <grp.h>
#include <gtest/gtest.h>
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

void BecomeNobody() {
  if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(125);
}

// Whether a thread of the recorder is left in the process.
bool HasRecorder(const std::string& pid) {
  for (const auto& thread : fs::directory_iterator("/proc/" + pid + "/task")) {
    if (ReadFile(thread.path() / "comm").starts_with("hindsight")) return true;
  }
  return false;
}

class Reach : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(geteuid(), 0u) << "these tests play several users: run them as root";
    tmp_ = stage_ / "tmp";
    fs::create_directory(tmp_);
    fs::permissions(tmp_, fs::perms(01777));
  }
  std::vector<std::pair<std::string, std::string>> Variables() const {
    return {{"TMPDIR", tmp_.string()}};
  }
  Ended Attach(const Application& application) {
    return stage_.Run({"attach", application.Pid(), "--output", stage_.Recordings()});
  }
  // What is in the temporary folder for recorders, except for `usual`.
  std::vector<std::string> Spare() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(tmp_)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("hindsight-0-")) names.push_back(name);
    }
    return names;
  }
  void ExpectToBeSteered(Application& application) {
    ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
    EXPECT_EQ(Spare().size(), 1u);
    const json status = stage_.RunJson({"status", application.Pid()});
    EXPECT_EQ(status["status"]["state"], "recording") << status;
    EXPECT_TRUE(Is(Attach(application), TriggerExit::kAlreadyRecorded));
    EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
    EXPECT_TRUE(Spare().empty());
    EXPECT_TRUE(application.EndsWell());
  }

  Stage stage_;
  fs::path tmp_;
};

TEST_F(Reach, AFolderThatSomebodyElseMadeFirst) {
  Application application(stage_, Variables());
  fs::create_directories(tmp_ / "hindsight-0/control");
  ASSERT_EQ(chown((tmp_ / "hindsight-0").c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chown((tmp_ / "hindsight-0/control").c_str(), kNobody, kNobody), 0);
  // Names that look like ours, too.
  fs::create_directory(tmp_ / "hindsight-0-0123456789abcdef");
  ASSERT_EQ(chown((tmp_ / "hindsight-0-0123456789abcdef").c_str(), kNobody, kNobody), 0);
  ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
  EXPECT_EQ(stage_.RunJson({"status", application.Pid()})["status"]["state"], "recording");
  EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  EXPECT_EQ(Spare(), std::vector<std::string>{"hindsight-0-0123456789abcdef"});
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Reach, ALinkThatSomebodyElseMadeFirst) {
  Application application(stage_, Variables());
  fs::create_directory(tmp_ / "elsewhere");
  fs::create_directory_symlink(tmp_ / "elsewhere", tmp_ / "hindsight-0");
  ExpectToBeSteered(application);
  EXPECT_TRUE(fs::is_empty(tmp_ / "elsewhere"));
}

TEST_F(Reach, AFolderThatEverybodyCanWrite) {
  Application application(stage_, Variables());
  fs::create_directory(tmp_ / "hindsight-0");
  fs::permissions(tmp_ / "hindsight-0", fs::perms(0777));
  ExpectToBeSteered(application);
}

// With the default folder for recordings also owned by the other user.
TEST_F(Reach, ARecordingThatHasNoFolderEither) {
  Application application(stage_, Variables());
  fs::create_directory(tmp_ / "hindsight-0");
  ASSERT_EQ(chown((tmp_ / "hindsight-0").c_str(), kNobody, kNobody), 0);
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kRecorderRefused,
                 "belongs to user 65534"));
  EXPECT_TRUE(Spare().empty());
  ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
  EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  EXPECT_TRUE(application.EndsWell());
}

// A folder for sockets that the process could use when it started, and cannot use any more.
TEST_F(Reach, AnAttachedRecorderThatNobodyCanReachLeaves) {
  Application application(stage_, Variables(), {}, BecomeNobody);
  fs::permissions(tmp_, fs::perms(0755));
  const Ended attached = Attach(application);
  EXPECT_TRUE(Is(attached, TriggerExit::kRecorderSilent, "ended its recording"));
  EXPECT_TRUE(WaitUntil([&] { return !HasRecorder(application.Pid()); }));
  EXPECT_TRUE(Is(stage_.Run({"status", application.Pid()}), TriggerExit::kNotRecorded));
  const std::vector<fs::path> recordings = RecordingsIn(stage_.Recordings());
  ASSERT_EQ(recordings.size(), 1u);
  const Ended info = Hindsight("info", recordings[0]);
  EXPECT_NE(info.output.find("cannot be reached"), std::string::npos) << info.Describe();
  // The next one finds the process as it was.
  fs::permissions(tmp_, fs::perms(01777));
  EXPECT_TRUE(WaitUntil([&] { return Is(Attach(application), TriggerExit::kOk); }));
  EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  const std::string said = application.process().Errors();
  EXPECT_NE(said.find("cannot be reached"), std::string::npos);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_TRUE(application.EndsWell(said));
}

// As if the process gets little CPU time: if nothing of the recorder can be seen yet, that does not
// mean that it has left.
TEST_F(Reach, ARecorderWhoseThreadsAreSlowToStartIsWaitedFor) {
  auto variables = Variables();
  variables.emplace_back("LD_PRELOAD", HINDSIGHT_SLOW_THREADS);
  Application application(stage_, variables);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
    EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  }
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Reach, ARecordingFromTheStartGoesOn) {
  fs::permissions(tmp_, fs::perms(0755));
  auto variables = StartUp(stage_.Recordings());
  variables.emplace_back("TMPDIR", tmp_.string());
  variables.emplace_back("DOTNET_EnableDiagnostics_IPC", "0");
  fs::copy_file(HINDSIGHT_RECORDER, stage_ / "nobodys.so");
  Application application(stage_, variables, {}, BecomeNobody);
  ASSERT_TRUE(WaitUntil([&] { return !application.process().Errors().empty(); }));
  const std::string said = application.process().Errors();
  EXPECT_NE(said.find("cannot be controlled"), std::string::npos) << said;
  const std::vector<fs::path> recordings = RecordingsIn(stage_.Recordings());
  EXPECT_TRUE(application.EndsWell(said));
  ASSERT_EQ(recordings.size(), 1u);
  const Ended info = Hindsight("info", recordings[0]);
  EXPECT_NE(info.output.find("cannot be controlled"), std::string::npos) << info.Describe();
}

TEST_F(Reach, ASocketThatACleanerTookIsMadeAgain) {
  Application application(stage_, Variables());
  ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
  fs::remove_all(tmp_ / "hindsight-0");
  EXPECT_TRUE(WaitUntil([&] {
    return Is(stage_.Run({"status", application.Pid()}), TriggerExit::kOk);
  }));
  EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Reach, AnOutputThatCannotBeFailsAtOnceAndLeavesNothing) {
  Application application(stage_, Variables());
  WriteFile(stage_ / "file");
  for (const std::string& output :
       {std::string("/proc/nowhere"), (stage_ / "file").string(), (stage_ / "file/in").string()}) {
    const Ended attached = stage_.Run({"attach", application.Pid(), "--output", output});
    EXPECT_TRUE(Is(attached, TriggerExit::kRecorderRefused, output));
    EXPECT_EQ(attached.output, "");
    EXPECT_FALSE(HasRecorder(application.Pid()));
    EXPECT_TRUE(Is(stage_.Run({"status", application.Pid()}), TriggerExit::kNotRecorded));
    EXPECT_TRUE(Is(stage_.Run({"snapshot", application.Pid(), "--output", output}),
                   TriggerExit::kRecorderRefused));
  }
  ASSERT_TRUE(Is(Attach(application), TriggerExit::kOk));
  EXPECT_TRUE(Is(stage_.Run({"stop", application.Pid()}), TriggerExit::kOk));
  EXPECT_TRUE(application.EndsWell());
}

}  // namespace
}  // namespace hindsight::live
