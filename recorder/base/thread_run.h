// What the kernel knows about a thread of this process: its state, and how much it has run.
#pragma once

#include <time.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "proto/recording_fields.h"

namespace hindsight::recorder {

using RunState = wire::ThreadState::State;

struct ThreadRun {
  RunState state = RunState::kUnknown;
  uint64_t cpu_ns = 0;    // since the thread started; 0: unknown
  uint64_t switches = 0;  // times that it was scheduled on a processor; 0: unknown
  uint64_t ready_ns = 0;  // runnable without a processor, since it started; 0: unknown
};

// The clock of a thread's CPU time, as clock_gettime and timer_create accept it for any thread of
// the process. `os_id` is a kernel thread id.
constexpr clockid_t CpuClockOfThread(uint32_t os_id) {
  // The kernel's encoding (include/linux/posix-timers_types.h): CPUCLOCK_SCHED of
  // CPUCLOCK_PERTHREAD.
  constexpr uint32_t kSchedOfThread = 2 | 4;
  return static_cast<clockid_t>(~os_id << 3 | kSchedOfThread);
}

// CPU time of a thread, exact to the nanosecond: the same number twice means that the thread did
// not run in between. One system call, no lock; 0: no such thread.
uint64_t CpuNsOfThread(uint32_t os_id);

// Reads two files of /proc (about 10 us); no allocation. The state is read before the CPU time.
ThreadRun ReadThreadRun(uint32_t os_id);

// Whether a thread has made progress since it was first checked: it sleeps, has ended, or has run
// for `ns`. A thread that only waits for a processor has not.
class RunSince {
 public:
  // `cpu_ns`: the thread's CPU time at the first check; 0: not checked yet.
  explicit RunSince(uint64_t cpu_ns = 0) : first_cpu_ns_(cpu_ns) {}
  // Costs about 10 us.
  bool HasRun(uint32_t os_id, uint64_t ns);

 private:
  uint64_t first_cpu_ns_;
  uint64_t until_ns_ = 0;  // where the system does not show whether a thread sleeps
};

// The stack pointer of a thread that sleeps in the kernel; 0: it runs, or the kernel does not say.
// Reads a file of /proc (about 5 us); no allocation.
uint64_t StackPointerOfThread(uint32_t os_id);

// The kernel's name of a thread, at most 15 characters. The runtime sets it for its own threads and
// for the application's.
std::string KernelNameOfThread(uint32_t os_id);

// How many threads have a name that begins with `prefix`. Allocates.
uint32_t CountThreadsNamed(std::string_view prefix);

// A thread's blocked signals, as bits; 0: no such thread. Reads a file of /proc (about 20 us);
// allocates. While a thread is in sigwait or similar, the signals that it waits for are not
// included.
uint64_t BlockedSignalsOfThread(uint32_t os_id);
constexpr uint64_t SignalBit(int signal) { return uint64_t{1} << (signal - 1); }
// Whether `signal` is the only real-time signal among these bits. The lowest one, which the runtime
// uses, does not count.
bool IsAlone(int signal, uint64_t blocked);
// Whether a signal sent to the thread now would stay pending, or be received by a wait for it.
// About 40 us; sleeps up to 0.6 ms if the thread runs. Unknown while the thread is switching or
// waits for a processor: call it again with the same `last`.
enum class Keeps : uint8_t {
  kNo,
  kYes,
  kAlone,  // yes, and it blocks none of the other real-time signals that an application may use
  kUnknown,
};
struct SignalLook {
  uint64_t sleeps = 0, cpu_ns = 0;  // of the thread, at the last call
};
Keeps WouldKeepSignal(uint32_t os_id, int signal, SignalLook& last);

// What the kernel counts against RLIMIT_SIGPENDING, for all processes of this user: queued signals,
// and timers. When the limit is reached, no real-time signal can be sent any more. Reads a file of
// /proc (about 20 us); allocates. A limit of 0: unknown.
struct SignalQueue {
  uint64_t used = 0, limit = 0;
};
SignalQueue ReadSignalQueue();

// /proc/self/task/ID/stat, field 3; /proc/self/task/ID/schedstat, fields 3 and 2.
RunState ParseRunState(std::string_view stat);
uint64_t ParseSwitches(std::string_view schedstat);
uint64_t ParseReadyNs(std::string_view schedstat);
// /proc/self/task/ID/syscall: "running", or numbers; the stack pointer is the last but one.
uint64_t ParseStackPointer(std::string_view syscall);
// /proc/self/task/ID/status: the line SigBlk; 0 if there is none.
uint64_t ParseBlockedSignals(std::string_view status);
// The line SigQ.
SignalQueue ParseSignalQueue(std::string_view status);
// The line voluntary_ctxt_switches: how often it went to sleep.
uint64_t ParseSleeps(std::string_view status);
// Whether the thread sleeps in sigwait, sigwaitinfo or sigtimedwait.
bool ParseIsInSigwait(std::string_view syscall);

}  // namespace hindsight::recorder
