// A session: the life of one activation of the profiler in this process, and the owner of
// everything in it.
//
//   arming -> recording -> draining -> detaching -> closed
//
// Threads of its own: `drain` turns events into files; `control` serves the control socket, watches
// the duration, and detaches; with the source `heap`, or from the first request for one, `heap`
// makes snapshots; with `waits` or `heap`, `snap` takes those of all threads; with `locks`, `gc`,
// `allocations` or `requests`, `event` listens to the runtime's events; with `cpu`, `cpu` sets up
// timers. The session lives until all have ended and the profiler has released it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "recorder/base/condition.h"
#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/control/bell.h"
#include "recorder/control/server.h"
#include "recorder/heap/snapshotter.h"
#include "recorder/names/code_gate.h"
#include "recorder/names/thread_gate.h"
#include "recorder/recording_writer.h"
#include "recorder/rule_watch.h"
#include "recorder/signals.h"
#include "recorder/stack/signal_walker.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

class Session final : public ControlHandler, public std::enable_shared_from_this<Session> {
 public:
  Session(clr::ICorProfilerInfo10* info, contract::Options options, Mode mode);
  ~Session();

  // Opens the recording and starts the threads. At start-up a failure is final: false, and a
  // sentence in `why`. In an attach, the control socket reports the failure, and the session
  // detaches by itself.
  bool Start(ProcessFacts facts, std::string* why);

  // ---- Callbacks of the runtime, through the profiler ----
  void AttachComplete();
  void ProcessExits();
  void DetachSucceeded();
  void ModuleLoaded(clr::ModuleID module);
  void ModuleUnloading(clr::ModuleID module);
  void MethodUnloading(clr::FunctionID method);
  void ExceptionThrown(clr::ObjectID object, uintptr_t frame_address);
  void ThreadEnding(clr::ThreadID thread) { thread_gate_.ThreadEnding(thread); }
  void AssemblyUnloading() { gate_.AssemblyUnloading(); }
  void ModuleUnloaded(clr::ModuleID module) { gate_.ModuleUnloaded(module); }
  void SuspensionBegins() { gate_.SuspensionBegins(); }
  void SuspensionIsThere() { gate_.SuspensionIsThere(); }

  Emitter& emitter() { return emitter_; }
  Signals& signals() { return signals_; }
  // Null once the runtime's events report exceptions.
  Exceptions* notified_exceptions() {
    return signals_.exceptions.by_events() ? nullptr : &signals_.exceptions;
  }
  Snapshotter& heap() { return heap_; }

  // ---- Verbs of the control socket, on the control thread ----
  contract::Reply OnStatus() override;
  contract::Reply OnStop() override;
  contract::Reply OnSnapshot() override;
  contract::Reply OnSnapshotStatus() override;
  contract::Reply OnSnapshotThreads() override;

 private:
  enum class State : uint8_t { kArming, kRecording, kDraining, kDetaching, kClosed };
  static const char* NameOf(State state);

  static constexpr uint64_t kStopWaitNs = 30'000'000'000;  // for what has to end

  void RunDrain();
  void RunControl();
  void OpenServer();
  void KeepReachable();
  void EndUnreachable(const std::string& why);
  void ServeUntilStopped();
  void ServeUntilDrained();
  ControlServer::Event ServeOnce(uint64_t deadline_ns);
  // Sources have until `deadline_ns` to end; what takes longer is left as it is.
  void StopRecording(EndReason reason, uint64_t deadline_ns = UINT64_MAX);
  // What the sources need from the runtime now.
  clr::EventMask Mask() const;
  bool SetMask();
  // For exceptions: any thread requests it, and the control thread does it, which alone sets masks
  // once the recording runs.
  void RequestEndOfNotifications();
  void EndNotifications();
  void BeginExceptionEvents();
  void StartSnapshots();
  void StartHeap();
  bool StartHeapThread(std::string* why);
  bool JoinHeap(std::string* why);
  // From now on snapshots can be taken. Earlier, running managed code on one of our threads, which
  // is how a heap snapshot requests a collection, would end the process: nothing in the hosting API
  // checks whether the runtime is initialized (dotnet/runtime, src/coreclr/vm/corhost.cpp,
  // CreateDelegate), and an exception that such code throws has no class yet. Observed on .NET 8 to
  // 10 when startup took longer than heap.every; in the core dumps, g_fEEStarted and the class of
  // System.Exception were zero. System.Private.CoreLib is loaded inside EEStartupHelper
  // (ceemain.cpp), which sets g_fEEStarted at its end; every other module is loaded later.
  void RuntimeReady();
  void StartEvents();
  void NoteNotSeen();
  // Whether this runtime's events report exceptions, once a session runs.
  bool has_exception_events() const { return signals_.exception_events.is_available(); }
  void StartCpu();
  bool WaitUntilDrained(uint64_t timeout_ns);
  void Detach();
  void ReleaseMemory();
  void Fail(std::string_view why);
  void AddCounters(contract::Reply& reply);
  void ApplyRules();
  // Does what a rule requests; returns a sentence about the outcome.
  std::string Execute(const contract::Rule& rule);
  // For a rule that requests a heap snapshot at the end of the process: does everything that takes
  // time in advance. Control thread; called until it has succeeded or failed.
  void PrepareSnapshotOfEnd();
  // Drain thread. Starts the snapshot, and holds the thread that is about to end the process until
  // the snapshot is over and its end is in the recording; returns a sentence about it.
  std::string TakeSnapshotOfEnd(uint32_t os_id);
  bool BeginSnapshotOfEnd(uint32_t os_id);  // false: one is in progress
  // Drain thread, before each drain. True: the thread may continue after it.
  bool SnapshotOfEndIsOver();

  clr::ICorProfilerInfo10* const info_;  // the runtime's; gone once DetachSucceeded has been called
  const contract::Options options_;
  const Mode mode_;
  const uint64_t id_;
  uint64_t started_ns_ = 0;
  std::string tmp_;

  CodeGate gate_;
  ThreadGate thread_gate_;
  MemoryBudget budget_;
  Waker drain_waker_;
  Bell control_bell_;
  StackTable stacks_;
  StackWalker walker_;
  SignalWalker signal_walker_;
  Emitter emitter_;
  Signals signals_;
  RecordingWriter recording_;
  Snapshotter heap_;
  ControlServer server_;
  RuleWatch rules_;                         // control thread
  uint64_t rules_fired_ = 0;                // control thread
  bool end_prepared_ = false;               // control thread
  std::atomic<bool> end_snapshots_{false};  // snapshots of the process's end can be taken
  // Drain thread:
  uint32_t end_snapshot_ = 0;  // the one in progress
  uint32_t end_thread_ = 0;    // the one that ends the process
  bool end_follows_ = false;   // another one is to follow

  uint64_t unreachable_since_ns_ = 0;  // control thread; 0: the socket is there
  bool unreachable_reported_ = false;

  std::atomic<State> state_{State::kArming};
  std::atomic<bool> stopped_{false};   // the recording is closed, and the profiler is to detach
  std::atomic<bool> attached_{false};  // in an attach: it is complete
  std::atomic<bool> detached_{false};
  std::atomic<bool> exiting_{false};
  std::atomic<bool> user_changed_{false};  // the control socket is to move
  std::atomic<bool> end_notifications_{false};
  std::atomic<uint64_t> notified_until_ns_{0};  // exceptions; 0: nothing has been missed
  std::atomic<uint32_t> modules_loaded_{0};     // at start-up

  std::mutex mutex_;
  Condition changed_;
  bool finish_ = false;  // the drain thread is to finish, for `reason_`
  EndReason reason_ = EndReason::kStopped;
  bool drained_ = false;
  bool control_ended_ = false;
  std::string failure_;  // the first failure other than of the files
};

}  // namespace hindsight::recorder
