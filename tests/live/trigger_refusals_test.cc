// What the trigger finds before it contacts the runtime, with each cause provoked for real.
#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/live/trigger_stage.h"
#include "trigger/target/process.h"

namespace hindsight::live {
namespace {

namespace fs = std::filesystem;
using trigger::TriggerExit;

class Refusals : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(geteuid(), 0u) << "these tests play several users: run them as root";
  }
  Ended Attach(const Application& application, const std::string& library) {
    return stage_.Run({"attach", application.Pid(), "--profiler", library});
  }

  Stage stage_;
};

TEST_F(Refusals, ProcessesThatAreNotThereOrNotDotnet) {
  EXPECT_TRUE(Is(stage_.Run({"attach", "2000000000"}), TriggerExit::kNoSuchProcess, "no process"));
  for (const char* command : {"attach", "status", "stop"}) {
    EXPECT_TRUE(Is(stage_.Run({command, "2000000000"}), TriggerExit::kNoSuchProcess));
  }
  Process sleeper({.arguments = {"sleep", "1000"}}, stage_.folder());
  ASSERT_TRUE(WaitUntil([&] {
    const auto process = trigger::InspectProcess(sleeper.pid());
    return process && process->CommandLine() == "sleep 1000";
  }));
  const std::string pid = std::to_string(sleeper.pid());
  EXPECT_TRUE(Is(stage_.Run({"attach", pid}), TriggerExit::kNotDotnet, "does not run .NET"));
  EXPECT_TRUE(Is(stage_.Run({"status", pid}), TriggerExit::kNotRecorded, "not being recorded"));
  EXPECT_TRUE(Is(stage_.Run({"stop", pid}), TriggerExit::kNotRecorded));
}

TEST_F(Refusals, AMistakeOnTheCommandLineIsExplainedAtOnce) {
  EXPECT_TRUE(Is(stage_.Run({}), TriggerExit::kUsage));
  EXPECT_TRUE(Is(stage_.Run({"attach"}), TriggerExit::kUsage));
  EXPECT_TRUE(Is(stage_.Run({"launch"}), TriggerExit::kUsage, "--"));
  EXPECT_TRUE(Is(stage_.Run({"attach", "1", "--profiler-guid", "x"}), TriggerExit::kUsage, "GUID"));
  EXPECT_TRUE(Is(stage_.Run({"attach", "1", "--for", "soon"}), TriggerExit::kBadOptions, "30s"));
  EXPECT_TRUE(Is(stage_.Run({"attach", "1", "--set", "color=red"}), TriggerExit::kBadOptions,
                 "no option \"color\""));
  EXPECT_TRUE(
      Is(stage_.Run({"launch", "--sources", "weather", "--", "true"}), TriggerExit::kBadOptions));
  EXPECT_TRUE(Is(stage_.Run({"launch", "--", "/missing/program"}), TriggerExit::kCommandNotFound));
  EXPECT_TRUE(Is(stage_.Run({"launch", "--", "/etc/passwd"}), TriggerExit::kCannotRun));
}

TEST_F(Refusals, LibrariesThatCannotBeLoaded) {
  Application application(stage_);
  std::ofstream(stage_ / "text.so") << "not a library";
  EXPECT_TRUE(Is(Attach(application, (stage_ / "no.so").string()), TriggerExit::kLibraryMissing));
  EXPECT_TRUE(Is(Attach(application, stage_.folder().string()), TriggerExit::kLibraryNotALibrary,
                 "is a folder"));
  EXPECT_TRUE(Is(Attach(application, (stage_ / "text.so").string()),
                 TriggerExit::kLibraryNotALibrary, "not a shared library"));
  // Relative to where the trigger runs.
  EXPECT_TRUE(Is(Attach(application, "lib/no.so"), TriggerExit::kLibraryMissing,
                 (fs::current_path() / "lib/no.so").string()));
  EXPECT_TRUE(Is(Attach(application, '/' + std::string(5000, 'x')), TriggerExit::kLibraryPath));

  fs::copy_file(stage_.Library(), stage_ / "arm.so");
  std::fstream file(stage_ / "arm.so", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(18);  // e_machine of the ELF header
  file.put(static_cast<char>(0xb7));
  file.close();
  EXPECT_TRUE(Is(Attach(application, (stage_ / "arm.so").string()), TriggerExit::kArchitecture));

  fs::copy_file(stage_.Library(), stage_ / "open.so");
  fs::permissions(stage_ / "open.so", fs::perms(0666));
  EXPECT_TRUE(Is(Attach(application, (stage_ / "open.so").string()), TriggerExit::kLibraryUnsafe));

  fs::remove(stage_.Library());
  EXPECT_TRUE(
      Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kLibraryMissing, "neither"));
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Refusals, AnotherUsersProcess) {
  Application application(stage_);
  for (const char* command : {"attach", "status", "stop"}) {
    EXPECT_TRUE(Is(stage_.RunAsNobody({command, application.Pid()}), TriggerExit::kOtherUser,
                   "belongs to root, and you are nobody"));
  }
  EXPECT_TRUE(application.EndsWell());
}

TEST_F(Refusals, ALibraryThatTheOtherUserMayNotRead) {
  Application application(stage_, {{"DOTNET_CLI_HOME", "/tmp"}}, {}, [] {
    if (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(125);
  });
  fs::permissions(stage_.Library(), fs::perms(0600));
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kLibraryUnreadable,
                 "user nobody may not read"));
  fs::permissions(stage_.Library(), fs::perms(0644));
  fs::permissions(stage_ / "lib", fs::perms(0700));
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kLibraryUnreadable,
                 "may not enter"));
  fs::permissions(stage_ / "lib", fs::perms(0755));
  ASSERT_EQ(chown(stage_.Library().c_str(), 12345, 12345), 0);
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kLibraryUnsafe,
                 "belongs to 12345"));
}

TEST_F(Refusals, DiagnosticsTurnedOff) {
  for (const char* variable : {"DOTNET_EnableDiagnostics", "DOTNET_EnableDiagnostics_IPC"}) {
    Application application(stage_, {{variable, "0"}});
    EXPECT_TRUE(
        Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kDiagnosticsOff, variable));
    const nlohmann::json list = stage_.RunJson({"list"});
    const auto row = std::find_if(list.begin(), list.end(), [&](const nlohmann::json& entry) {
      return entry["pid"] == application.pid();
    });
    ASSERT_NE(row, list.end());
    EXPECT_NE((*row)["note"].get<std::string>().find(variable), std::string::npos);
    EXPECT_TRUE(application.EndsWell());
  }
}

TEST_F(Refusals, ASocketThatIsGone) {
  Workspace tmp;
  Application application(stage_, {{"TMPDIR", tmp.path().string()}});
  for (const auto& entry : fs::directory_iterator(tmp.path())) {
    if (entry.is_socket()) fs::remove(entry.path());
  }
  EXPECT_TRUE(
      Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kNoDiagnosticSocket, "no socket"));
}

TEST_F(Refusals, ASocketOfSomebodyElse) {
  Workspace tmp;
  Workspace other_tmp;
  Application victim(stage_, {{"TMPDIR", tmp.path().string()}});
  Application impostor(stage_, {{"TMPDIR", other_tmp.path().string()}});
  const auto socket = [](const Workspace& folder) {
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      if (entry.path().filename().string().starts_with("dotnet-diagnostic-")) return entry.path();
    }
    ADD_FAILURE() << "no diagnostics socket in " << folder.path();
    return fs::path();
  };
  const fs::path name = socket(tmp);
  fs::rename(socket(other_tmp), name);
  EXPECT_TRUE(Is(stage_.Run({"attach", victim.Pid()}), TriggerExit::kForeignSocket,
                 "listens process " + impostor.Pid()));
}

TEST_F(Refusals, AStoppedProcess) {
  Application application(stage_);
  application.process().Signal(SIGSTOP);
  ASSERT_TRUE(WaitUntil([&] {
    const auto process = trigger::InspectProcess(application.pid());
    return process && process->stopped();
  }));
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid()}), TriggerExit::kStopped, "kill -CONT"));
  const Ended list = stage_.Run({"list"});
  EXPECT_NE(list.output.find("is stopped"), std::string::npos) << list.Describe();
  application.process().Signal(SIGCONT);
  EXPECT_TRUE(application.EndsWell());
}

// As under a debugger: only the thread that serves diagnostics is stopped, so nothing can be seen
// from outside, and the timeout must expire.
TEST_F(Refusals, ARuntimeThatDoesNotAnswer) {
  Application application(stage_);
  pid_t server = 0;
  for (const auto& thread : fs::directory_iterator("/proc/" + application.Pid() + "/task")) {
    if (ReadFile(thread.path() / "comm") == ".NET SynchManag\n") continue;
    if (ReadFile(thread.path() / "comm").starts_with(".NET EventPipe")) {
      server = std::stoi(thread.path().filename().string());
    }
  }
  ASSERT_NE(server, 0) << "the runtime has no thread .NET EventPipe";
  ASSERT_EQ(ptrace(PTRACE_SEIZE, server, nullptr, nullptr), 0) << strerror(errno);
  ASSERT_EQ(ptrace(PTRACE_INTERRUPT, server, nullptr, nullptr), 0);
  int status = 0;
  ASSERT_EQ(waitpid(server, &status, __WALL), server);
  EXPECT_TRUE(Is(stage_.Run({"attach", application.Pid(), "--send-timeout", "0.5"}),
                 TriggerExit::kSendTimeout, "debugger"));
  ptrace(PTRACE_DETACH, server, nullptr, nullptr);
  EXPECT_TRUE(application.EndsWell());
}

}  // namespace
}  // namespace hindsight::live
