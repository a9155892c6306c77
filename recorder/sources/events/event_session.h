// The EventPipe sessions that sources use, and the thread that runs managed code for them.
//
// Starting a session and running managed code both turn the native thread into a managed thread, on
// which EnumThreads and code lookups then fail (measured on .NET 8 and 10). So one dedicated thread
// does nothing else: it starts the sessions, lets the sources query each second, and stops the
// sessions. It ends before the detach.
//
// Within a session, a level applies to all keywords of a provider, so keywords that must not be
// verbose have a session of their own. Before .NET 10, allocation ticks need verbose GC events, and
// the collector then reports each pinned object in each collection: 0.4 us each, measured on 8.0.
// The collector also uses the highest level and all keywords over all sessions; on 10.0 that had no
// measurable cost with 5000 pinned objects.
//
// Starting a session calls every event source of that name, and Microsoft-Windows-DotNETRuntime is
// also a managed one (NativeRuntimeEventSource; the pool's events depend on it). At the first
// session it reads the attributes of its 200 methods: 40 ms of CPU time on the thread that starts
// the session, measured on .NET 10.0, all under one lock (EventListener.EventListenersLock) that
// the constructor of every EventSource takes. A session that exists before the source is created
// moves that work to the main thread instead; it cannot be avoided. So sessions of a starting
// process wait until it has been quiet for a while: no module loaded, no event source created.
// Events until then are not received, and the recording says so. `events.from=start` begins at
// once, as an attach does.
//
// The session for errors that end the process does not wait: no event source has the name of its
// provider, so none is called, and a process may fail as it starts.
//
// The sessions for durations and details of requests have arguments, which the event sources read
// under that same lock. In doing so, one rents from an ArrayPool, and waits if another thread is in
// the static constructor of ArrayPoolEventSource, which waits for the lock: a deadlock
// (github.com/dotnet/runtime/issues/119014; seen on 9.0 with a session in the first 40 ms). So
// these sessions wait until that event source exists, whatever events.from says, and until no other
// one has been created for a while.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "recorder/base/clock.h"
#include "recorder/base/condition.h"
#include "recorder/base/worker.h"
#include "recorder/clr/info.h"
#include "recorder/sources/events/event_plan.h"

namespace hindsight::recorder {

// When sessions of a starting process may begin: after kQuietNs without a module loaded or an event
// source created. A process that still loads modules after kLongestStartNs no longer counts as
// starting; but since a thread that creates an event source has to wait while sessions start, none
// may have been created for kQuietNs even then. After kLatestNs, sessions also begin in a process
// that keeps creating event sources.
struct SessionsStart {
  static constexpr uint64_t kQuietNs = 500'000'000;
  static constexpr uint64_t kLongestStartNs = 5'000'000'000;
  static constexpr uint64_t kLatestNs = 60'000'000'000;

  uint64_t since_ns = 0;  // when the wait for it began

  // The latest start, even if the process keeps loading modules.
  uint64_t LatestNs(uint64_t source_made_ns) const {
    return std::clamp(source_made_ns + kQuietNs, since_ns + kLongestStartNs, since_ns + kLatestNs);
  }
  uint64_t DueNs(uint64_t busy_ns, uint64_t source_made_ns) const {
    return std::min(busy_ns + kQuietNs, LatestNs(source_made_ns));
  }
};

class EventSession {
 public:
  EventSession(clr::ICorProfilerInfo10* info, const EventPlan& plan) : info_(info), plan_(plan) {}

  // Starts the thread, which runs until Stop. `late`: sessions wait until startup is over.
  // `attached`: event sources were created before the recorder could be notified of them. False:
  // the thread could not be started.
  bool Start(std::shared_ptr<void> owner, bool late, bool attached);

  // The runtime has begun to run the application: sessions can be started from now on.
  void RuntimeReady() {
    StillBusy();
    if (!ready_.load(std::memory_order_relaxed)) Set(&EventSession::ready_, true);
  }
  // Any thread, no wait: a module was loaded; an event source was created.
  void StillBusy() { busy_ns_.store(MonotonicNs(), std::memory_order_relaxed); }
  void SourceMade(clr::EVENTPIPE_PROVIDER provider);

  // Any thread, in the callback: the runtime has notified us of a throw that its events should
  // report, so the sessions begin. False: there have been so many that the notifications must end;
  // throws until the sessions run are not seen (sources/exceptions/exception_events.h).
  bool ExceptionThrown();

  // Whether sessions are waiting for startup to be over.
  bool waits() const { return waits_.load(std::memory_order_relaxed); }
  // All before Start, and called on its thread. Each second, once the sessions have begun.
  void OnEachSecond(std::function<void()> query) { query_ = std::move(query); }
  // When the sessions have ended; not if the process is ending.
  void OnEnd(std::function<void()> end) { end_ = std::move(end); }
  // When sessions that have waited begin.
  void OnLateBegin(std::function<void()> report) { on_late_begin_ = std::move(report); }
  // When exceptions are reported by events from now on.
  void OnExceptions(std::function<void()> begin) { begin_exceptions_ = std::move(begin); }

  // Stops the sessions and ends the thread. False: that has not happened within `timeout_ns`.
  bool Stop(uint64_t timeout_ns);
  // The process is ending: the runtime must not be called any more.
  void Leave();

  // The runtime refused a session: events are missing.
  bool refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kEveryNs = 1'000'000'000;
  static constexpr size_t kMaxSessions = 6;
  static constexpr uint32_t kThrowsThatBegin = 4;
  static constexpr uint32_t kMostNotified = 8192;
  static constexpr uint64_t kApartQuietNs = 1'000'000'000;
  static constexpr char16_t kArrayPoolProvider[] = u"System.Buffers.ArrayPoolEventSource";

  void Set(std::atomic<bool> EventSession::*flag, bool value);
  bool Wait(uint64_t timeout_ns, const std::atomic<bool>& flag);
  void Run();
  bool StartLevel(clr::ICorProfilerInfo12* info, EventLevel level);
  void StartSessions(clr::ICorProfilerInfo12* info);
  bool StartSession(clr::ICorProfilerInfo12* info,
                    std::span<clr::COR_PRF_EVENTPIPE_PROVIDER_CONFIG> providers);
  void StartApart(clr::ICorProfilerInfo12* info);
  void WaitUntilQuiet();

  clr::ICorProfilerInfo10* const info_;
  const EventPlan& plan_;
  Worker worker_;

  // The sessions' thread only.
  std::array<clr::EVENTPIPE_SESSION, kMaxSessions> sessions_ = {};
  size_t session_count_ = 0;
  bool has_apart_ = false;  // those with arguments were requested

  std::mutex mutex_;
  Condition changed_;
  std::atomic<bool> ready_{false}, stopping_{false}, leaving_{false};
  std::atomic<bool> throws_{false};  // exceptions
  std::atomic<uint32_t> notified_{0};
  std::atomic<bool> refused_{false};
  std::atomic<bool> waits_{false};
  std::atomic<bool> knows_array_pool_{false};  // that event source exists, or may exist
  std::atomic<uint64_t> made_ns_{0};           // when an event source was created last
  std::atomic<uint64_t> busy_ns_{0};           // when startup activity was last seen
  std::function<void()> query_, end_, on_late_begin_, begin_exceptions_;
};

}  // namespace hindsight::recorder
