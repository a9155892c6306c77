// The EventPipe session that the source `locks` listens to, and the thread pool's figures, which no
// event tells.
//
// Both make the native thread that asks for them a thread of the runtime's, on which EnumThreads
// and look-ups of code then fail (measured on .NET 8 and 10). So one thread of our own does nothing
// else: it starts the session, asks the pool every second, and stops the session.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "recorder/clr/info.h"
#include "recorder/sources/thread_snapshots.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

struct PoolSampledEvent {
  EventHeader header;
  uint32_t workers;
  uint64_t queue_length;
  uint64_t completed;  // since the process began
};

class EventSession {
 public:
  // `snapshots` hears how the pool fares. `task_waits`: also what threads do with tasks.
  EventSession(clr::ICorProfilerInfo10* info, Emitter& emitter, ThreadSnapshots& snapshots,
               bool task_waits)
      : info_(info), emitter_(emitter), snapshots_(snapshots), task_waits_(task_waits) {}

  // Before the thread is started; NoRun if that fails.
  void WillRun() { Set(&EventSession::running_, true); }
  void NoRun() { Set(&EventSession::running_, false); }
  // The session's thread, until Stop.
  void Run();

  // The runtime has begun to run the application: from now on a session can be started.
  void RuntimeReady() {
    if (!ready_.load(std::memory_order_relaxed)) Set(&EventSession::ready_, true);
  }

  // Stops the session and ends Run. False: that has not happened within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);
  // The process ends: the runtime is not to be asked for anything any more.
  void Leave();

  // The runtime refused the session: there will be no events.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  struct LastSample;
  void Set(std::atomic<bool> EventSession::*flag, bool value);
  bool Wait(uint64_t timeout_ns, const std::atomic<bool>& flag);
  clr::EVENTPIPE_SESSION Start(clr::ICorProfilerInfo12* info);
  void Sample(LastSample& last);

  static constexpr uint64_t kEveryNs = 1'000'000'000;

  clr::ICorProfilerInfo10* const info_;
  Emitter& emitter_;
  ThreadSnapshots& snapshots_;
  const bool task_waits_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> running_{false}, ready_{false}, stopping_{false}, leaving_{false};
  std::atomic<bool> refused_{false};
};

}  // namespace hindsight::recorder
