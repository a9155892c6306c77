#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/base/clock.h"
#include "recorder/base/thread_hold.h"

namespace hindsight::recorder {

void ThreadHold::Send() {
  const int signal = signal_.load(std::memory_order_relaxed);
  if (signal == 0) return;
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_value.sival_ptr = this;
  waits_.store(true, std::memory_order_release);
  syscall(SYS_rt_tgsigqueueinfo, getpid(), static_cast<pid_t>(os_id_.load()), signal, &info);
}

void ThreadHold::Wait() {
  constexpr timespec kPause{0, 200'000};
  const uint64_t begun_ns = MonotonicNs();
  waits_.store(true, std::memory_order_release);
  while (true) {
    const Phase phase = phase_.load(std::memory_order_acquire);
    const uint64_t now = MonotonicNs();
    if (phase == Phase::kNone || now >= until_ns_.load()) break;
    if (IsInTheWay()) break;
    if (!needs_nothing_.load() && now - begun_ns >= kMaxAtATimeNs) break;
    nanosleep(&kPause, nullptr);
  }
  waits_.store(false, std::memory_order_release);
}

}  // namespace hindsight::recorder
