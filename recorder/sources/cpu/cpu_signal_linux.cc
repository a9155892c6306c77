#include "recorder/sources/cpu/cpu_signal.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "recorder/base/thread_hold.h"
#include "recorder/base/thread_run.h"
#include "recorder/sources/cpu/cpu_sample.h"

namespace hindsight::recorder {
namespace {

std::atomic<int> g_number{0};

// Not cached in a thread-local variable: in a library that is loaded late, those may be allocated
// at a thread's first access (base/thread_local.h).
uint32_t OwnOsId() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

void OnSignal(int, siginfo_t* info, void* context) {
  if (info->si_code == SI_QUEUE && ThreadHold::IsMeant(info->si_value.sival_ptr)) {
    const int saved = errno;
    ThreadHold::Instance().Wait();
    errno = saved;
    return;
  }
  if (info->si_code != SI_TIMER) return;
  CpuSlot* slot = CpuSlots::Instance().Find(info->si_value.sival_ptr);
  if (slot == nullptr) return;
  const int saved = errno;
  const auto overrun = static_cast<uint32_t>(info->si_overrun > 0 ? info->si_overrun : 0);
  TakeSample(*slot, OwnOsId(), 1 + overrun, ReadSignalContext(context));
  errno = saved;
}

bool IsDefault(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

bool IsIgnored(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_IGN;
}

// Go's runtime handles these two in a library, too, on the alternate stack (sigInstallGoHandler of
// its signal_unix.go; SIGURG as of Go 1.14). .NET handles neither.
bool HasGo() {
  for (const int signal : {SIGURG, SIGPIPE}) {
    struct sigaction now;
    if (sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_ONSTACK) != 0 &&
        !IsDefault(now) && !IsIgnored(now)) {
      return true;
    }
  }
  return false;
}

struct sigaction Ours() {
  struct sigaction ours = {};
  ours.sa_sigaction = OnSignal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | (HasGo() ? SA_ONSTACK : 0);
  sigfillset(&ours.sa_mask);
  // If these were blocked, they would end the process instead of reaching their handlers.
  for (const int synchronous : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
    sigdelset(&ours.sa_mask, synchronous);
  }
  return ours;
}

bool IsOurs(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == OnSignal;
}

// False: it is in use.
bool Take(int number) {
  struct sigaction before;
  if (sigaction(number, nullptr, &before) != 0) return false;
  if (!IsDefault(before) && !IsOurs(before)) return false;
  const struct sigaction ours = Ours();
  if (sigaction(number, &ours, &before) != 0) return false;
  if (IsDefault(before) || IsOurs(before)) return true;
  sigaction(number, &before, nullptr);  // it was taken in between
  return false;
}

// A signal that the first thread blocks may be one that the application waits for, unless it blocks
// all of them.
uint64_t SignalsOfFirstThread() {
  const uint64_t blocked = BlockedSignalsOfThread(static_cast<uint32_t>(getpid()));
  return (blocked & SignalBit(SIGRTMAX - 1)) != 0 && (blocked & SignalBit(SIGRTMIN + 1)) != 0
             ? 0
             : blocked;
}

}  // namespace

bool CpuSignal::Install() {
  CpuSlots::Instance();  // creates it before the handler needs it
  const int last = g_number.load();
  if (last != 0 && Take(last)) return true;
  // Valgrind needs the highest, the runtime the lowest.
  const uint64_t avoided = SignalsOfFirstThread();
  for (int number = SIGRTMAX - 1; number > SIGRTMIN; --number) {
    if ((avoided & SignalBit(number)) != 0 || !Take(number)) continue;
    g_number.store(number);
    return true;
  }
  g_number.store(0);
  return false;
}

int CpuSignal::Number() { return g_number.load(std::memory_order_relaxed); }

bool CpuSignal::IsKept() {
  struct sigaction now;
  const int number = Number();
  return number != 0 && sigaction(number, nullptr, &now) == 0 && IsOurs(now);
}

void CpuSignal::FitStacks() {
  struct sigaction now;
  const int number = Number();
  if (number != 0 && HasGo() && sigaction(number, nullptr, &now) == 0 && IsOurs(now) &&
      (now.sa_flags & SA_ONSTACK) == 0) {
    Take(number);
  }
}

// The kernel discards pending signals of all threads when a signal becomes ignored (POSIX, signal
// actions). Timers that are not deleted continue.
void CpuSignal::DropPending() {
  if (!IsKept()) return;
  struct sigaction ignore = {}, before, between;
  ignore.sa_handler = SIG_IGN;
  const struct sigaction ours = Ours();
  if (sigaction(Number(), &ignore, &before) != 0) return;
  if (!IsOurs(before)) {  // it was taken in between: the application keeps it
    sigaction(Number(), &before, nullptr);
    return;
  }
  sigaction(Number(), &ours, &between);
  if (between.sa_handler != SIG_IGN) sigaction(Number(), &between, nullptr);
}

}  // namespace hindsight::recorder
