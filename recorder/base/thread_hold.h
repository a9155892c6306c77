// Holds a thread of the application in place, for a bounded time: the one that is about to end the
// process, until the recorder has finished the heap snapshot that a rule requests for that moment
// (unhandled:snapshot).
//
// The thread waits in a signal handler. It may be in managed code: then the snapshot's collection,
// or any other, waits for it to reach a safepoint. The only sign of that is that the runtime fails
// to stop all threads. In this case the thread is released, and held again: for the snapshot's own
// pause once that has begun, and otherwise after the suspension.
//
// In native code it may own a lock that the recorder needs, of malloc or of the runtime. So until
// the recorder's last query of that kind (NothingMoreNeeded), the thread is released from time to
// time and held again (Renew).
//
// One recording at a time.
#pragma once

#include <atomic>
#include <cstdint>

namespace hindsight::recorder {

class ThreadHold {
 public:
  // A singleton, because the signal handler has no other access to it.
  static ThreadHold& Instance();

  // The signal whose handler calls Wait if IsMeant accepts its value; 0: there is none, and no
  // thread is held. Before each Begin: the application may have started to use it.
  void UseSignal(int signal) { signal_.store(signal, std::memory_order_relaxed); }

  // Drain thread. Holds thread `os_id` until Release, but until `until_ns` (CLOCK_MONOTONIC) at the
  // latest.
  void Begin(uint32_t os_id, uint64_t until_ns);
  // Recorder threads, every few milliseconds: holds the thread again after a brief release.
  void Renew();
  // From now on the recorder needs no lock that the thread may own.
  void NothingMoreNeeded() { needs_nothing_.store(true, std::memory_order_relaxed); }
  // Any thread.
  void Release() { phase_.store(Phase::kNone, std::memory_order_release); }

  // ---- Callbacks of the runtime ----
  void SuspensionBegins();
  void SuspensionIsThere() { suspending_since_ns_.store(0, std::memory_order_release); }
  // In the pause, with all managed threads stopped.
  void HoldAgain();

  // ---- In the signal handler ----
  // Whether a signal with this value is ours.
  static bool IsMeant(const void* value) { return value == &Instance(); }
  void Wait();

 private:
  enum class Phase : uint32_t { kNone, kUntilPause, kUntilRelease };
  // A suspension that is not complete after this time may be waiting for the thread.
  static constexpr uint64_t kMaxSuspendingNs = 10'000'000;
  // The longest time for which the thread is held without a release, while the recorder may need a
  // lock that it owns.
  static constexpr uint64_t kMaxAtATimeNs = 50'000'000;

  void Send();  // one system call
  bool IsInTheWay() const;

  std::atomic<int> signal_{0};
  std::atomic<uint32_t> os_id_{0};
  std::atomic<uint64_t> until_ns_{0};
  std::atomic<bool> needs_nothing_{false};
  std::atomic<bool> waits_{false};  // in the handler, or the signal is on its way
  std::atomic<Phase> phase_{Phase::kNone};
  std::atomic<uint64_t> suspending_since_ns_{0};  // 0: no suspension is under way
};

}  // namespace hindsight::recorder
