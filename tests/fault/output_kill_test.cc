// kill -9 at every write, inside writes, and at every other system call of the writer.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/fault/output_fault_run.h"

namespace hindsight::recorder {
namespace {

TEST(OutputKill, AfterEveryWriteAndInsideOfIt) {
  const WriterArguments arguments{.segments = 12, .bytes = 20'000};
  for (uint32_t at = 1; at <= arguments.segments; ++at) {
    for (const int permille : {0, 1, 3, 500, 999, 1000}) {
      SCOPED_TRACE("write " + std::to_string(at) + ", " + std::to_string(permille) + " permille");
      TemporaryFolder tmp;
      const FaultRun run = RunWriter(tmp.path(), arguments,
                                     {{"FAULT", "kill"},
                                      {"FAULT_AT", std::to_string(at)},
                                      {"FAULT_PERMILLE", std::to_string(permille)}});
      ASSERT_TRUE(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGKILL);
      ASSERT_EQ(run.written.size(), at - 1);
      CheckRecording(run, arguments);
      const ReadResult read = ReadRecording(run.path);
      EXPECT_EQ(read.segments.size(), permille == 1000 ? at : at - 1);
      EXPECT_EQ(read.torn_bytes > 0, permille > 0 && permille < 1000);
    }
  }
}

// Lets the child run to its next system call. False: it has ended, with `status`.
bool NextStop(pid_t child, int* status) {
  ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  return waitpid(child, status, 0) == child && WIFSTOPPED(*status);
}

// Traces a writer and calls `at_stop` before each of its system calls, starting with the one that
// creates the recording's folder; kills it when that returns false. Returns how many calls there
// were.
template <typename AtStop>
int Trace(const FaultChild& child, int* status, AtStop at_stop) {
  EXPECT_EQ(waitpid(child.pid(), status, 0), child.pid());
  if (!WIFSTOPPED(*status)) return 0;  // the system does not let us trace
  ptrace(PTRACE_SETOPTIONS, child.pid(), nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD);
  int calls = 0;
  while (NextStop(child.pid(), status)) {
    __ptrace_syscall_info call{};
    ptrace(PTRACE_GET_SYSCALL_INFO, child.pid(), sizeof call, &call);
    if (call.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    if (calls == 0 && call.entry.nr != SYS_mkdirat) continue;
    ++calls;
    if (at_stop(calls)) continue;
    kill(child.pid(), SIGKILL);
    waitpid(child.pid(), status, 0);
    break;
  }
  return calls;
}

constexpr WriterArguments kRotating{.segments = 9, .bytes = 400'000, .disk_limit_bytes = 2u << 20};

TEST(OutputKill, TheDiskLimitHoldsAtEverySystemCall) {
  TemporaryFolder tmp;
  const FaultChild child(tmp.path(), kRotating, {}, true);
  int status = 0;
  uint64_t most = 0;
  const int calls = Trace(child, &status, [&](int) {
    for (const std::string& name : Names(tmp.path())) {
      most = std::max(most, SumOfSizes(tmp / name));
    }
    return true;
  });
  EXPECT_GT(calls, 50);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_LE(most, kRotating.disk_limit_bytes);
  EXPECT_GT(most, kRotating.disk_limit_bytes / 2);
  const FaultRun run = child.Result(status);
  EXPECT_EQ(run.written.size(), kRotating.segments);
  CheckRecording(run, kRotating);
  EXPECT_GT(ReadRecording(run.path).segments.front().header.sequence, 0u) << "it did not rotate";
}

// An instrumented writer takes long to start, so only every seventh call is tested; without
// instrumentation, all are.
#ifdef HINDSIGHT_SANITIZED
constexpr int kCallsBetweenKills = 7;
#else
constexpr int kCallsBetweenKills = 1;
#endif

TEST(OutputKill, BeforeEverySystemCall) {
  int calls = 0;
  for (int at = 1; at == 1 || calls == at - kCallsBetweenKills; at += kCallsBetweenKills) {
    SCOPED_TRACE("call " + std::to_string(at));
    TemporaryFolder tmp;
    const FaultChild child(tmp.path(), kRotating, {}, true);
    int status = 0;
    calls = Trace(child, &status, [at](int call) { return call < at; });
    const FaultRun run = child.Result(status);
    CheckRecording(run, kRotating);
    ASSERT_FALSE(HasFailure());
    if (run.path.empty()) continue;
    EXPECT_EQ(ReadRecording(run.path).torn_bytes, 0u);
    if (WIFEXITED(status)) {
      EXPECT_EQ(run.written.size(), kRotating.segments);
      EXPECT_GT(at, 50);
      break;
    }
  }
}

}  // namespace
}  // namespace hindsight::recorder
