#include "recorder/heap/snapshot_child.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "recorder/base/clock.h"
#include "recorder/heap/heap_walk.h"
#include "recorder/heap/thread_scan.h"

namespace hindsight::recorder {
namespace {

constexpr int kNice = 5;  // added to the application's: lower priority, but still done in time

// The kernel's own structure: the C library's wrapper would use its own state.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

// By page faults of this process that needed no disk.
uint64_t FaultedBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt) * static_cast<uint64_t>(getpagesize());
}

void ResetSignals() {
  constexpr int kSignals = 64;
  constexpr size_t kMaskBytes = 8;
  KernelAction action{};
  action.handler = SIG_DFL;
  for (int signal = 1; signal <= kSignals; ++signal) {
    syscall(SYS_rt_sigaction, signal, &action, nullptr, kMaskBytes);
  }
  const auto bit = [](int signal) { return uint64_t{1} << (signal - 1); };
  const uint64_t open = bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGABRT) |
                        bit(SIGTRAP) | bit(SIGSYS) | bit(SIGALRM);
  const uint64_t blocked = ~open;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, kMaskBytes);
}

void CloseOthers(int keep) {
  const auto file = static_cast<unsigned>(keep);
  bool closed = syscall(SYS_close_range, file + 1, ~0u, 0) == 0;
  if (file > 0) closed = syscall(SYS_close_range, 0u, file - 1, 0) == 0 && closed;
  if (closed) return;
  constexpr rlim_t kMostDescriptors = 1u << 16;  // for kernels before 5.9
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned fd = 0; fd < std::min(limit.rlim_cur, kMostDescriptors); ++fd) {
    if (fd != file) syscall(SYS_close, fd);
  }
}

void BecomeHarmless(const SnapshotTask& task) {
  // First: while they are open here, nothing that the application closes is really closed. Another
  // process would find its files locked, and the other end of a connection would wait.
  CloseOthers(task.file);
  ResetSignals();
  const rlimit no_core{1, 1};  // 0 would still start a core_pattern that is a program
  setrlimit(RLIMIT_CORE, &no_core);
  const int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) {
    (void)!write(score, "1000", 4);
    close(score);
  }
  prctl(PR_SET_NAME, "hindsight-snap");
  if (!task.hurries) {
    const long own = 20 - syscall(SYS_getpriority, PRIO_PROCESS, 0);
    setpriority(PRIO_PROCESS, 0, static_cast<int>(own) + kNice);
  }
  alarm(static_cast<unsigned>(task.timeout_ns / 1'000'000'000 + 5));
}

void Sleep() {
  const timespec pause{0, 500'000};
  nanosleep(&pause, nullptr);
}

// False: the child should end. It should also end if the application has ended: nothing will
// answer, and its copy of the memory is kept in vain.
bool WaitFor(const std::atomic<uint32_t>& flag, const SnapshotTask& task, uint64_t deadline_ns) {
  while (flag.load(std::memory_order_acquire) == 0) {
    if (task.shared->stop.load(std::memory_order_relaxed) != 0 || MonotonicNs() > deadline_ns ||
        getppid() != task.application) {
      return false;
    }
    Sleep();
  }
  return true;
}

bool Live(SnapshotTask& task) {
  SnapshotShared& shared = *task.shared;
  const uint64_t deadline_ns = MonotonicNs() + task.timeout_ns;
  if (!WaitFor(shared.frozen_ready, task, deadline_ns)) return false;
  const std::span<const WalkedRange> ranges = AllRanges(task);
  shared.phase = SnapshotShared::kFindingClasses;
  HeapWalk walk(shared, ranges, deadline_ns);
  if (!walk.FindClasses()) return false;
  ReadThreads(shared.threads, walk);
  shared.phase.store(SnapshotShared::kWaitingForPlan, std::memory_order_release);
  if (!WaitFor(shared.plan_ready, task, deadline_ns)) return false;
  shared.phase = SnapshotShared::kWriting;
  return WalkAndWrite(task, ranges, deadline_ns);
}

int ChildMain(void* argument) {
  auto& task = *static_cast<SnapshotTask*>(argument);
  BecomeHarmless(task);
  const bool done = Live(task);
  SnapshotShared& shared = *task.shared;
  if (!done && shared.error == static_cast<uint32_t>(WalkError::kNone)) {
    shared.error = static_cast<uint32_t>(shared.stop != 0 ? WalkError::kRequest : WalkError::kTime);
  }
  shared.counters.cpu_ns = ProcessCpuNs();
  shared.phase.store(SnapshotShared::kEnded, std::memory_order_release);
  _exit(done ? 0 : 1);
}

}  // namespace

SnapshotChild::~SnapshotChild() { Release(); }

bool SnapshotChild::CanBeMade() { return true; }

bool SnapshotChild::Prepare() {
  if (stack_ != nullptr) return true;
  void* stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return false;
  stack_ = stack;
  return true;
}

void SnapshotChild::Release() {
  if (stack_ != nullptr) munmap(stack_, kStackBytes);
  stack_ = nullptr;
}

int SnapshotChild::Clone(SnapshotTask& task) {
  task.application = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // The C library's clone is a bare system call: unlike fork it runs no handlers and takes no lock.
  // No flags: a copy of the address space, and no signal when it ends.
  const pid_t pid = clone(ChildMain, static_cast<char*>(stack_) + kStackBytes, 0, &task);
  const int error = pid > 0 ? 0 : errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pid_ = pid;
  faulted_bytes_ = FaultedBytes();
  return error;
}

bool SnapshotChild::Reap(int* status) {
  if (pid_ <= 0) return true;
  const pid_t reaped = waitpid(pid_, status, __WALL | WNOHANG);
  if (reaped == 0) return false;
  if (reaped < 0) *status = 0;  // something else has waited for it
  pid_ = 0;
  return true;
}

int SnapshotChild::SignalThatEnded(int status) {
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void SnapshotChild::Kill() {
  if (pid_ > 0) kill(pid_, SIGKILL);
}

uint64_t SnapshotChild::CopiedAtMost() const { return FaultedBytes() - faulted_bytes_; }

uint64_t SnapshotChild::PrivateBytes() const {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", static_cast<int>(pid_));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[2048];
  const ssize_t bytes = read(file, text, sizeof text - 1);
  close(file);
  if (bytes <= 0) return 0;
  text[bytes] = '\0';
  uint64_t kib = 0;
  for (const char* key : {"Private_Clean:", "Private_Dirty:"}) {
    const char* at = strstr(text, key);
    if (at != nullptr) kib += strtoull(at + strlen(key), nullptr, 10);
  }
  return kib * 1024;
}

}  // namespace hindsight::recorder
