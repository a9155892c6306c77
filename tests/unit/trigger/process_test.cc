#include "trigger/target/process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "trigger/preflight/preflight.h"
#include "trigger/target/diagnostic_socket.h"

namespace hindsight::trigger {
namespace {

TEST(Process, KnowsThisOne) {
  const Expected<Process> self = InspectProcess(getpid());
  ASSERT_TRUE(self) << self.failure().what;
  EXPECT_EQ(self->inner_pid, getpid());
  EXPECT_EQ(self->uid, geteuid());
  EXPECT_EQ(self->state, 'R');
  EXPECT_GT(self->start_ticks, 0u);
  EXPECT_FALSE(self->other_mounts);
  EXPECT_TRUE(self->glibc);
  EXPECT_FALSE(self->musl);
  EXPECT_EQ(self->runtime_path, "");
  EXPECT_EQ(self->hidden, "");
  EXPECT_NE(self->CommandLine().find("trigger_test"), std::string::npos);
  EXPECT_EQ(self->Environment("PATH"), getenv("PATH"));
  EXPECT_EQ(self->Environment("PAT"), "");
  const std::vector<pid_t> all = AllProcesses();
  EXPECT_TRUE(std::binary_search(all.begin(), all.end(), getpid()));
}

TEST(Process, ANameFullOfTricksDoesNotConfuseIt) {
  ASSERT_EQ(prctl(PR_SET_NAME, ") Z 1 (x"), 0);
  const Expected<Process> self = InspectProcess(getpid());
  prctl(PR_SET_NAME, "trigger_test");
  ASSERT_TRUE(self);
  EXPECT_EQ(self->state, 'R');
  EXPECT_GT(self->start_ticks, 0u);
}

TEST(Process, ThereIsNone) {
  for (const pid_t pid : {0, -1, 2'000'000'000}) {
    const Expected<Process> process = InspectProcess(pid);
    ASSERT_FALSE(process);
    EXPECT_EQ(process.failure().code, TriggerExit::kNoSuchProcess);
  }
}

TEST(Process, AThreadIsNoProcess) {
  std::thread([] {
    const auto tid = static_cast<pid_t>(syscall(SYS_gettid));
    const Expected<Process> process = InspectProcess(tid);
    ASSERT_FALSE(process);
    EXPECT_NE(process.failure().what.find("is a thread of process"), std::string::npos);
  }).join();
}

TEST(Process, StoppedAndEndedOnesAreReported) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  kill(child, SIGSTOP);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  Expected<Process> process = InspectProcess(child);
  ASSERT_TRUE(process);
  Check wrong = CheckProcess(*process);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, TriggerExit::kStopped);
  EXPECT_NE(wrong->next.find("kill -CONT"), std::string::npos);

  kill(child, SIGKILL);
  siginfo_t info = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  process = InspectProcess(child);
  ASSERT_TRUE(process);
  wrong = CheckProcess(*process);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->code, TriggerExit::kZombie);
  waitpid(child, &status, 0);
}

TEST(DiagnosticSocket, AbsenceIsExplained) {
  Expected<Process> self = InspectProcess(getpid());
  ASSERT_TRUE(self);
  // In /tmp, there may be the socket of a .NET process that had this id and was killed.
  char empty[] = "/tmp/hindsight-process-XXXXXX";
  ASSERT_NE(mkdtemp(empty), nullptr);
  const std::string folder = std::string("TMPDIR=") + empty + '\0';
  self->environment = folder;
  EXPECT_EQ(FindDiagnosticSocket(*self).failure().code, TriggerExit::kNotDotnet);
  self->runtime_path = "/usr/share/dotnet/libcoreclr.so";
  EXPECT_EQ(FindDiagnosticSocket(*self).failure().code, TriggerExit::kNoDiagnosticSocket);
  for (const std::string variable : {"DOTNET_EnableDiagnostics=0", "COMPlus_EnableDiagnostics=00",
                                     "DOTNET_EnableDiagnostics_IPC=0"}) {
    self->environment = folder + variable + '\0';
    const Expected<DiagnosticSocket> socket = FindDiagnosticSocket(*self);
    ASSERT_FALSE(socket);
    EXPECT_EQ(socket.failure().code, TriggerExit::kDiagnosticsOff);
    EXPECT_NE(socket.failure().what.find(variable), std::string::npos);
  }
  self->environment = folder + "DOTNET_EnableDiagnostics=1" + '\0';
  EXPECT_EQ(FindDiagnosticSocket(*self).failure().code, TriggerExit::kNoDiagnosticSocket);
  rmdir(empty);
}

}  // namespace
}  // namespace hindsight::trigger
