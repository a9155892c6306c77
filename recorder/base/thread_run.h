// What the kernel knows of a thread of this process: whether it runs, and how much it has run.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace hindsight::recorder {

enum class RunState : uint8_t { kUnknown, kRunning, kSleeping, kBlocked, kStopped };  // as in proto

struct ThreadRun {
  RunState state = RunState::kUnknown;
  uint64_t cpu_ns = 0;    // since the thread began; 0: unknown
  uint64_t switches = 0;  // times that it was put on a processor; 0: unknown
};

// The clock of a thread's CPU time: what clock_gettime and timer_create take for any thread of the
// process. `os_id` is a kernel thread id.
constexpr clockid_t CpuClockOfThread(uint32_t os_id) {
  // As the kernel writes it (include/linux/posix-timers_types.h): CPUCLOCK_SCHED of
  // CPUCLOCK_PERTHREAD.
  constexpr uint32_t kSchedOfThread = 2 | 4;
  return static_cast<clockid_t>(~os_id << 3 | kSchedOfThread);
}

// CPU time of a thread, exact to the nanosecond: the same number twice means that the thread has
// not run in between. One system call, no lock; 0: there is no such thread.
uint64_t CpuNsOfThread(uint32_t os_id);

// Reads two files of /proc (about 10 us); no allocation. The state is read before the CPU time.
ThreadRun ReadThreadRun(uint32_t os_id);

// The stack pointer of a thread that sleeps in the kernel; 0: it runs, or the kernel does not tell.
// Reads a file of /proc (about 5 us); no allocation.
uint64_t StackPointerOfThread(uint32_t os_id);

// The kernel's name of a thread, at most 15 characters: the runtime names its own there, and the
// application's threads too.
std::string KernelNameOfThread(uint32_t os_id);

// A thread's blocked signals, as bits; 0: there is no such thread. Reads a file of /proc (about
// 20 us); allocates. A thread in sigwait or its like does not count what it waits for.
uint64_t BlockedSignalsOfThread(uint32_t os_id);
constexpr uint64_t SignalBit(int signal) { return uint64_t{1} << (signal - 1); }
// Whether a signal that is sent to the thread now would stay pending, or be what it waits for.
// About 40 us, and sleeps up to 0.6 ms where the thread runs. Unknown where it comes and goes, or
// waits for a processor: the next look, with the same `last`, knows more.
enum class Keeps : uint8_t { kNo, kYes, kUnknown };
struct SignalLook {
  uint64_t sleeps = 0, cpu_ns = 0;  // of the thread, when it was looked at
};
Keeps WouldKeepSignal(uint32_t os_id, int signal, SignalLook& last);

// /proc/self/task/ID/stat, field 3; /proc/self/task/ID/schedstat, field 3.
RunState ParseRunState(std::string_view stat);
uint64_t ParseSwitches(std::string_view schedstat);
// /proc/self/task/ID/syscall: "running", or numbers of which the last but one is it.
uint64_t ParseStackPointer(std::string_view syscall);
// /proc/self/task/ID/status: the line SigBlk; 0 without one.
uint64_t ParseBlockedSignals(std::string_view status);
// The line voluntary_ctxt_switches: times that it went to sleep.
uint64_t ParseSleeps(std::string_view status);
// Whether the thread sleeps in sigwait, sigwaitinfo or sigtimedwait.
bool ParseIsInSigwait(std::string_view syscall);

}  // namespace hindsight::recorder
