// Source `cpu` on Linux: a CPU timer for each thread, and the recorder thread that sets them up.
//
// Each thread of the application has a POSIX timer on its own CPU clock, which signals that same
// thread; the handler (cpu_signal.h) walks the stack and writes it to the thread's ring. Nothing is
// suspended, and a thread that does not run is never signalled: an interrupted wait could fail with
// EINTR in the application's native code. The kernel checks such timers only at its own ticks (100
// to 1000 a second), and reports how many periods have passed: the sample's weight.
//
// A thread that the runtime announces sets up its own timer, so it is sampled from its start;
// others are found within 0.1 s after their first 5 ms of CPU time, or 0.25 s if no thread has
// started or ended for two seconds (or 1 s, if one starts just as another ends, or uses its first 5
// ms later). Timers survive neither fork nor exec.
//
// A timer takes a slot in the user's queue of signals (RLIMIT_SIGPENDING), and so does each signal
// with which the runtime stops a thread: if no slot is left, its collections wait forever. So no
// timers are created that would make the queue, with everything else in it, more than half full.
//
// Threads that block the signal are not sampled, because it would stay pending where they might
// receive it: in sigwait, signalfd, sigpending. Nor are threads with very small stacks: the handler
// may interrupt the one with which the runtime stops a thread, and there is no room for both. The
// CPU time of all these is reported.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "recorder/base/stack_bounds.h"
#include "recorder/base/thread_run.h"
#include "recorder/base/worker.h"
#include "recorder/sources/cpu/cpu_sampler.h"
#include "recorder/sources/cpu/cpu_slots.h"
#include "recorder/sources/cpu/left_out_threads.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class CpuTimers final : public CpuSampler {
 public:
  CpuTimers(uint32_t hz, Emitter& emitter, MemoryBudget& budget, Waker& drain,
            SignalWalker& walker);

  void SkipStart() override { skip_start_ = true; }
  std::string Start(std::shared_ptr<void> owner, std::function<void(std::string)> report,
                    std::function<void(std::string)> note) override;
  void ThreadStarted(uint32_t os_id) override;
  bool Stop(uint64_t timeout_ns) override;

 private:
  struct Started {
    enum State : uint32_t { kFree, kFilling, kFull };
    std::atomic<uint32_t> state{kFree};
    uint32_t os_id;
    CpuSlot* slot;  // null: it has no timer
    bool has_small_stack;
  };

  void Run();
  void AddStarted();
  void Add(uint32_t os_id, CpuSlot& slot);
  bool StartIsOver(uint64_t now) const;
  bool ScanIsDue(uint64_t now);
  void Scan();
  bool IsAnnounced(uint32_t os_id);
  void AddYoung();
  void AddThread(uint32_t os_id);
  void LeaveOut(uint32_t os_id);
  void LookForBlocked(uint64_t now);
  // Periods of the thread's CPU time that passed without a call of the handler.
  uint64_t Undelivered(uint32_t os_id, const CpuSlot& slot) const;
  void Retire(CpuSlot& slot);
  // Any thread. Null: `error` is an errno; EAGAIN: the kernel has no more timers, or we have no
  // more slots.
  CpuSlot* StartTimer(uint32_t os_id, const StackBounds& stack, int& error);
  bool HandOver(uint32_t os_id, CpuSlot* slot, bool has_small_stack);
  void LeaveOutSmall(uint32_t os_id);
  bool IsAlive(const CpuSlot& slot) const;
  void FindStacks();
  void KeepSignal();
  void TakeAnotherSignal();
  void ReportUnsampled();
  void EndSampling();
  void LeaveRoomInQueue();

  static constexpr uint64_t kEveryNs = 100'000'000;
  static constexpr uint64_t kYoungEveryNs = 20'000'000;
  static constexpr uint64_t kCalmEveryNs = 250'000'000;  // after kCalmNs without a change
  static constexpr uint64_t kCalmNs = 2'000'000'000;
  static constexpr uint64_t kScanAgainNs = 1'000'000'000;  // even if nothing seems to have changed
  // CPU time that a thread of the runtime needs until it has announced itself, and some more.
  static constexpr uint64_t kAnnouncedNs = 5'000'000;
  static constexpr uint64_t kScanShare = 1000;       // scans take at most 1/kScanShare of the time,
  static constexpr uint64_t kNewThreadsShare = 100;  // one-time work per thread 1/kNewThreadsShare
  static constexpr uint64_t kModulesEveryNs = 1'000'000'000;

  static constexpr uint32_t kMaxUnanswered = 8;  // failed attempts to find a thread's stack

  const uint64_t period_ns_;
  const uint64_t recording_;
  Emitter& emitter_;
  SignalWalker& walker_;
  Waker waker_;
  const CpuSink sink_;
  std::function<void(std::string)> report_, note_;

  // Filled by starting threads, emptied by the sampler. If it is full, a scan finds the threads.
  std::array<Started, 256> started_;
  std::atomic<bool> scan_wanted_{false};
  std::atomic<uint32_t> starting_{0};    // threads in ThreadStarted
  std::atomic<int64_t> timers_left_{0};  // that may be created before the queue is checked again

  // Own thread.
  std::unordered_map<uint32_t, CpuSlot*> by_os_id_;
  LeftOutThreads left_out_;
  std::vector<uint32_t> young_;  // seen less than a second ago, and not announced yet
  uint64_t look_after_ns_ = 0;
  uint64_t scan_ = 0;
  uint64_t scan_after_ns_ = 0, scanned_ns_ = 0, modules_ns_ = 0, opened_ns_ = 0;
  uint64_t stacks_after_ns_ = 0;
  SignalQueue queue_ = {};  // as last read; limit 0: it could never be read, so no timer is made
  uint64_t links_ = 0;
  uint64_t changed_ns_ = 0;  // when a thread was last seen to start or end
  bool skip_start_ = false;
  uint32_t refused_ = 0;  // threads without a timer, at the last scan
  int refusal_ = 0;       // errno of the last of them
  bool reported_refused_ = false, reported_left_out_ = false;

  std::atomic<bool> stopping_{false};
  Worker worker_;
};

}  // namespace hindsight::recorder
