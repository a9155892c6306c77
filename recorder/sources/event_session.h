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
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>

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

  // Before the thread is started; NoRun if that fails.
  void WillRun() { Set(&EventSession::running_, true); }
  void NoRun() { Set(&EventSession::running_, false); }
  // The sessions' thread, until Stop.
  void Run();

  // The runtime has begun to run the application: from now on a session can be started.
  void RuntimeReady() {
    if (!ready_.load(std::memory_order_relaxed)) Set(&EventSession::ready_, true);
  }

  // Stops the sessions and ends Run. False: that has not happened within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);
  // The process ends: the runtime is not to be asked for anything any more.
  void Leave();

  // The runtime refused a session: events are missing.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kEveryNs = 1'000'000'000;
  static constexpr size_t kMaxSessions = 2;

  void Set(std::atomic<bool> EventSession::*flag, bool value);
  bool Wait(uint64_t timeout_ns, const std::atomic<bool>& flag);
  void Start(clr::ICorProfilerInfo12* info);
  void Start(clr::ICorProfilerInfo12* info,
             std::span<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers);
  void Sample();

  clr::ICorProfilerInfo10* const info_;
  const contract::Options& options_;
  PoolSampler& pool_;
  Compiler& compiler_;
  Survivors& survivors_;

  // The sessions' thread only.
  std::array<clr::EVENTPIPE_SESSION, kMaxSessions> sessions_ = {};
  size_t session_count_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> running_{false}, ready_{false}, stopping_{false}, leaving_{false};
  std::atomic<bool> refused_{false};
};

}  // namespace hindsight::recorder
