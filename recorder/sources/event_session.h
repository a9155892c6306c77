// The EventPipe sessions that sources listen to, and what has to be asked of managed code each
// second.
//
// Both make the native thread that asks for them a thread of the runtime's, on which EnumThreads
// and look-ups of code then fail (measured on .NET 8 and 10). So one thread of our own does nothing
// else: it starts the sessions, asks every second, and stops the sessions. It also frees the
// handles of what allocations are followed, because it ends before the detach as they have to.
//
// A level holds for all keywords of a provider in a session, so what must not be verbose has a
// session of its own. Before .NET 10, ticks of allocations need verbose events of the collector,
// which then tells of each pinned object in each collection: 0.4 us for each, measured on 8.0. The
// collector also looks at the highest level and all keywords of all sessions together; on 10.0 that
// costs nothing that could be measured with 5000 pinned objects.
//
// Starting a session calls every event source of that name, and Microsoft-Windows-DotNETRuntime is
// a managed one as well (NativeRuntimeEventSource; the pool's events depend on it). At the first
// session it reads the attributes of its 200 methods: 40 ms of CPU on the thread that starts the
// session, measured on .NET 10.0, all under the one lock (EventListener.EventListenersLock) that
// the constructor of every EventSource takes. A session that is there before the source is made
// moves that work into the main thread instead; nothing avoids it. So a process that starts is let
// alone until it has been quiet for a while: no module loaded, no event source made. What happened
// until then is not seen, and the recording says so. `events.from=start` begins at once, as an
// attach does.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/condition.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/sources/compiler.h"
#include "recorder/sources/pool_sampler.h"
#include "recorder/sources/survivors.h"

namespace hindsight::recorder {

// Keywords of Microsoft-Windows-DotNETRuntime by level, and whether tasks and requests are listened
// to.
struct EventPlan {
  uint64_t verbose = 0;
  uint64_t informational = 0;
  bool tasks = false;
  bool requests = false;

  bool empty() const { return verbose == 0 && informational == 0 && !requests; }
};
// What the sources in the options need of a runtime of this major version.
EventPlan PlanEvents(const contract::Options& options, int runtime);

class EventSession {
 public:
  EventSession(clr::ICorProfilerInfo10* info, const contract::Options& options, PoolSampler& pool,
               Compiler& compiler, Survivors& survivors)
      : info_(info), options_(options), pool_(pool), compiler_(compiler), survivors_(survivors) {}

  static constexpr char16_t kRuntimeProvider[] = u"Microsoft-Windows-DotNETRuntime";

  static bool Needed(const contract::Options& options);

  // Before the thread is started; NoRun if that fails. `late`: sessions wait until the start of the
  // process is over.
  void WillRun(bool late) {
    waits_ = late;
    Set(&EventSession::running_, true);
  }
  void NoRun() { Set(&EventSession::running_, false); }
  // The sessions' thread, until Stop.
  void Run();

  // The runtime has begun to run the application: from now on a session can be started.
  void RuntimeReady() {
    StillBusy();
    if (!ready_.load(std::memory_order_relaxed)) Set(&EventSession::ready_, true);
  }
  // Any thread, no wait: a module was loaded, or an event source was made.
  void StillBusy() { busy_ns_.store(MonotonicNs(), std::memory_order_relaxed); }

  // Whether sessions wait for the end of the start and have not begun.
  bool waits() const { return waits_.load(std::memory_order_relaxed); }
  // Before Run: called on its thread once sessions that have waited begin.
  void OnLateBegin(std::function<void()> tell) { tell_late_ = std::move(tell); }

  // Stops the sessions and ends Run. False: that has not happened within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);
  // The process ends: the runtime is not to be asked for anything any more.
  void Leave();

  // The runtime refused a session: events are missing.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kEveryNs = 1'000'000'000;
  static constexpr size_t kMaxSessions = 2;
  // The start of a process is over when it has been quiet for so long, or has lasted for so long.
  static constexpr uint64_t kQuietNs = 500'000'000;
  static constexpr uint64_t kLongestStartNs = 5'000'000'000;

  void Set(std::atomic<bool> EventSession::*flag, bool value);
  bool Wait(uint64_t timeout_ns, const std::atomic<bool>& flag);
  void Start(clr::ICorProfilerInfo12* info);
  void Start(clr::ICorProfilerInfo12* info,
             std::span<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers);
  void Sample();
  void WaitUntilQuiet();

  clr::ICorProfilerInfo10* const info_;
  const contract::Options& options_;
  PoolSampler& pool_;
  Compiler& compiler_;
  Survivors& survivors_;

  // The sessions' thread only.
  std::array<clr::EVENTPIPE_SESSION, kMaxSessions> sessions_ = {};
  size_t session_count_ = 0;

  std::mutex mutex_;
  Condition changed_;
  std::atomic<bool> running_{false}, ready_{false}, stopping_{false}, leaving_{false};
  std::atomic<bool> refused_{false};
  std::atomic<bool> waits_{false};
  std::atomic<uint64_t> busy_ns_{0};  // when the application was last seen to start
  std::function<void()> tell_late_;
};

}  // namespace hindsight::recorder
