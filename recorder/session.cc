#include "recorder/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "recorder/base/forked_copy.h"
#include "recorder/base/thread.h"
#include "recorder/base/thread_hold.h"
#include "recorder/base/usual_folder.h"
#include "recorder/names/code.h"
#include "recorder/output/system.h"

namespace hindsight::recorder {
namespace {

// How long the end of the process may wait: until the sources have ended, until the last segment is
// written, and in all.
constexpr uint64_t kExitSourcesNs = 1'000'000'000;
constexpr uint64_t kExitDrainNs = 2'900'000'000;
constexpr uint64_t kExitNs = 3'000'000'000;
// Time for a snapshot in progress to be abandoned.
constexpr uint64_t kSnapshotWaitNs = 2'000'000'000;
// For the last thread snapshot.
constexpr uint64_t kLastThreadsWaitNs = 1'000'000'000;
// For the last signal handlers.
constexpr uint64_t kSamplesWaitNs = 1'000'000'000;
// How often the held thread that ends the process is checked.
constexpr uint64_t kHoldLookNs = 2'000'000;
// The runtime waits this long before it checks whether all callbacks have left the profiler.
constexpr uint32_t kDetachHintMs = 300;

uint64_t NextRecordingId() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

uint64_t NsUntil(uint64_t deadline_ns) {
  const uint64_t now = MonotonicNs();
  return deadline_ns > now ? deadline_ns - now : 0;
}

std::string RuntimeVersion(clr::ICorProfilerInfo10* info) {
  uint16_t major = 0, minor = 0, build = 0;
  if (clr::Failed(info->GetRuntimeInformation(nullptr, nullptr, &major, &minor, &build, nullptr, 0,
                                              nullptr, nullptr))) {
    return {};
  }
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

}  // namespace

Session::Session(clr::ICorProfilerInfo10* info, contract::Options options, Mode mode)
    : info_(info),
      options_(std::move(options)),
      mode_(mode),
      id_(NextRecordingId()),
      tmp_(TemporaryFolder()),
      thread_gate_(info),
      walker_(info),
      emitter_(id_, budget_, drain_waker_),
      signals_(info, gate_, thread_gate_, options_, emitter_, budget_, drain_waker_, stacks_,
               walker_, signal_walker_),
      recording_(id_, info, gate_, options_, mode, budget_, stacks_, signals_.gc, signal_walker_),
      heap_(info, gate_, thread_gate_, options_, stacks_, signals_.gc),
      rules_(options_) {
  budget_.SetLimit(options_.memory_limit_bytes - RecordingWriter::FixedBytes(options_));
  signals_.gc.Record(options_.Has(contract::Source::kGc));
  if (has_exception_events()) recording_.WatchHandlers(signals_.exception_events.dispatches());
  recording_.OnUserChange([this] {
    user_changed_ = true;
    control_bell_.Ring();
  });
  if (mode_ == Mode::kStartup) signals_.gc.KnowsAllUnloads();
  recording_.OnSnapshotOfEnd([this](uint32_t os_id) { return TakeSnapshotOfEnd(os_id); });
  recording_.OnLongWaits(
      [this](std::span<const uint32_t> owners) { signals_.snapshots.RequestOwners(owners); });
}

Session::~Session() { ReleaseMemory(); }

bool Session::Start(ProcessFacts facts, std::string* why) {
  started_ns_ = MonotonicNs();
  ForkedCopy::Watch();
  stacks_.Open(budget_);  // without it, events contain their own stacks
  if (!ThreadTracks::Open()) {
    recording_.Note(
        "The process has no thread-local storage keys left: the recorder's memory for a thread is "
        "not freed when the thread ends.");
  }
  bool ready = control_bell_.Open();
  if (!ready) *why = "The process has no file descriptor left for the recorder: raise the limit.";
  const clr::EventMask mask = Mask();
  if (ready && mode_ == Mode::kAttach && !mask.Without(clr::kAllowedAfterAttach).empty()) {
    *why = "A source in the options can only be recorded from process start; omit it.";
    ready = false;
  }
  ready = ready && recording_.Open(std::move(facts), RuntimeVersion(info_), tmp_, why);
  if (ready && !SetMask()) {
    *why = "The runtime refused what the sources need; try fewer sources.";
    ready = false;
  }
  if (!ready && mode_ == Mode::kStartup) return false;

  auto self = shared_from_this();
  if (ready) {
    state_ = State::kRecording;
    ready = StartThread("hindsight-drain", [self] { self->RunDrain(); });
    if (!ready) {
      *why = "The recorder's thread could not be started: is the number of threads limited?";
    }
  }
  if (!ready) {
    info_->SetEventMask2(0, 0);
    failure_ = *why;
    drained_ = true;
    state_ = State::kClosed;
    if (mode_ == Mode::kStartup) return false;
  }
  if (ready) {
    StartSnapshots();
    StartHeap();
    StartEvents();
    StartCpu();
    budget_.EndShared();
  }
  if (!StartThread("hindsight-ctl", [self] { self->RunControl(); })) {
    control_ended_ = true;
    if (mode_ == Mode::kStartup) return true;  // continues, but cannot be controlled
    // It could never be ended.
    *why = "The recorder's control thread could not be started: is the number of threads limited?";
    StopRecording(EndReason::kFailed);
    const bool is_over = WaitUntilDrained(kStopWaitNs) && heap_.Stop(kStopWaitNs) &&
                         signals_.snapshots.Stop(kStopWaitNs) &&
                         signals_.event_session.Stop(kStopWaitNs) &&
                         signals_.cpu->Stop(kStopWaitNs);
    return !is_over;  // what still runs calls the runtime: it stays loaded, though it is of no use
  }
  return true;
}

clr::EventMask Session::Mask() const {
  clr::EventMask mask = options_.Mask();
  if ((mask & clr::kMonitorExceptions).empty() || !has_exception_events()) return mask;
  if (signals_.exceptions.by_events() || notified_until_ns_ != 0) {
    mask = mask.Without(clr::kMonitorExceptions);
  }
  // Modules: when the first ones are loaded, event sessions can be started.
  return mask | clr::kMonitorEventPipe | clr::kMonitorModuleLoads;
}

bool Session::SetMask() {
  const clr::EventMask mask = Mask();
  if (!options_.Has(contract::Source::kHeap)) {
    return clr::Succeeded(info_->SetEventMask2(mask.low, mask.high));
  }
  return heap_.SetMask(mask);
}

void Session::StartSnapshots() {
  if (!ThreadSnapshots::Needed(options_)) return;
  const std::string why = signals_.snapshots.Start(shared_from_this(), budget_);
  if (!why.empty()) Fail(why);
}

void Session::StartHeap() {
  if (!options_.Has(contract::Source::kHeap)) return;
  if (SurvivorTracker::Wanted(options_)) {
    if (signals_.survivors.Open(info_, budget_)) {
      heap_.UseSurvivors(signals_.survivors);
    } else {
      Fail(
          "Sampled objects cannot be tracked (allocations.survivors): limit.memory leaves no "
          "memory, or the runtime has no handles for profilers.");
    }
  }
  std::string why;
  if (!StartHeapThread(&why)) Fail(why + " Everything else is recorded.");
}

bool Session::StartHeapThread(std::string* why) {
  heap_.UseThreads(signals_.snapshots);
  if (heap_.Start(
          shared_from_this(), [this] { return recording_.OpenFolder(); }, recording_.recording_id(),
          recording_.process())) {
    return true;
  }
  *why = "The thread for heap snapshots could not be started.";
  return false;
}

// The first request for a heap snapshot in a recording without that source. On the control thread,
// the only one that sets masks once the recording runs, and only while it runs.
bool Session::JoinHeap(std::string* why) {
  const clr::EventMask before = Mask();
  if (!heap_.Join(before | contract::FindSource("heap")->mask, why)) {
    info_->SetEventMask2(before.low, before.high);
    return false;
  }
  if (!ThreadSnapshots::Needed(options_)) {
    signals_.snapshots.Start(shared_from_this(), budget_);  // without it, a snapshot has no stacks
  }
  return StartHeapThread(why);
}

void Session::StartEvents() {
  if (signals_.runtime_events.plan().empty()) return;
  EventSession& events = signals_.event_session;
  events.OnExceptions([this] { BeginExceptionEvents(); });
  events.OnLateBegin([this] { NoteNotSeen(); });
  const bool attached = mode_ != Mode::kStartup;
  if (!events.Start(shared_from_this(), /*late=*/!attached && !options_.events_from_start,
                    attached)) {
    Fail("The thread for runtime events could not be started; everything else is recorded.");
  }
}

// Exceptions have been reported by notifications until now, and the session for fatal errors has
// begun.
void Session::NoteNotSeen() {
  const EventPlan& plan = signals_.runtime_events.plan();
  if (!plan.Without(EventProvider::kRuntime, ExceptionEvents::kKeyword)
           .Without(EventProvider::kRuntimePrivate, FatalErrors::kKeyword)
           .empty()) {
    recording_.NotSeen(MonotonicNs() - started_ns_);
  }
}

void Session::StartCpu() {
  if (!options_.Has(contract::Source::kCpu)) return;
  const auto report = [this](std::string why) {
    Fail(why);
    recording_.Note(std::move(why));
  };
  if (mode_ == Mode::kAttach || options_.events_from_start) signals_.cpu->SkipStart();
  const auto note = [this](std::string what) { recording_.Note(std::move(what)); };
  std::string why = signals_.cpu->Start(shared_from_this(), report, note);
  if (!why.empty()) report(std::move(why));
}

void Session::AttachComplete() {
  if (state_ != State::kRecording) return;
  attached_ = true;
  if (options_.Has(contract::Source::kHeap)) heap_.SettleMask();
  if (options_.Has(contract::Source::kModules)) signals_.modules.Enumerate();
  signals_.threads.Enumerate();
  signals_.event_session.RuntimeReady();
  RuntimeReady();
  emitter_.Hurry();
}

void Session::ModuleLoaded(clr::ModuleID module) {
  signals_.modules.Loaded(module);
  if (mode_ != Mode::kStartup) return;
  const uint32_t before = modules_loaded_++;
  if (before == 0) return;  // System.Private.CoreLib: the runtime is still being initialized
  signals_.event_session.RuntimeReady();  // each one shows that the process is still starting
  if (before == 1) RuntimeReady();
}

void Session::RuntimeReady() {
  signals_.snapshots.Ready(/*look_first=*/mode_ == Mode::kAttach);
  heap_.Ready();
  if (!options_.rules.empty()) control_bell_.Ring();  // PrepareSnapshotOfEnd
}

void Session::ExceptionThrown(clr::ObjectID object, uintptr_t frame_address) {
  if (signals_.exceptions.by_events()) return;
  const bool is_fault = signals_.cpu_faults.Thrown(object);
  signals_.exceptions.Notified(object, is_fault, frame_address,
                               signals_.exception_events.RecordOfThrow());
  if (!has_exception_events() || signals_.event_session.ExceptionThrown()) return;
  notified_until_ns_ = MonotonicNs();
  RequestEndOfNotifications();
}

void Session::BeginExceptionEvents() {
  signals_.exceptions.SwitchToEvents();
  RequestEndOfNotifications();
  if (notified_until_ns_ == 0) return;
  const auto after_ms = [&](uint64_t ns) { return std::to_string((ns - started_ns_) / 1'000'000); };
  recording_.Note("Exceptions were not recorded from " + after_ms(notified_until_ns_) + " to " +
                  after_ms(MonotonicNs()) +
                  " ms after the start: there were too many before the runtime's events could be "
                  "received. With events.from=start they are received from the first on.");
}

void Session::RequestEndOfNotifications() {
  if (!end_notifications_.exchange(true)) control_bell_.Ring();
}

void Session::EndNotifications() {
  if (state_ != State::kRecording) return;
  if (options_.Has(contract::Source::kHeap) || heap_.joined()) {
    heap_.Drop(clr::kMonitorExceptions);
    return;
  }
  const clr::EventMask mask = Mask();
  info_->SetEventMask2(mask.low, mask.high);
}

void Session::ModuleUnloading(clr::ModuleID module) {
  walker_.Forget();
  signal_walker_.Forget();
  gate_.ModuleUnloading(module,
                        [&](uint64_t time_ns) { signals_.modules.Unloaded(module, time_ns); });
}

// In cooperative mode: the runtime cannot suspend anything before this returns.
void Session::MethodUnloading(clr::FunctionID method) {
  std::array<CodeRegion, kMaxCodeRegions> regions;
  const uint32_t count = CodeOfUnloading(info_, method, regions);
  for (const CodeRegion& region : std::span(regions).first(count)) {
    walker_.Forget(region.start, region.size);
    signal_walker_.Forget(region);
  }
  gate_.MethodUnloading(method);
}

void Session::RunDrain() {
  uint64_t pause_ns = recording_.Drain(false);
  while (true) {
    const bool woken = drain_waker_.Wait(pause_ns);
    {
      const std::lock_guard lock(mutex_);
      if (finish_) break;
    }
    const bool end_is_over = SnapshotOfEndIsOver();
    recording_.HeapFilesAre(heap_.KeptFiles());
    if (heap_.joined()) recording_.LeaveToSnapshots(heap_.file_bytes());
    pause_ns = recording_.Drain(woken);
    if (end_is_over) ThreadHold::Instance().Release();
    if (end_snapshot_ != 0) pause_ns = std::min(pause_ns, kHoldLookNs);
  }
  recording_.HeapFilesAre(heap_.KeptFiles());
  recording_.Finish(reason_);
  ThreadHold::Instance().Release();
  {
    const std::lock_guard lock(mutex_);
    drained_ = true;
    changed_.notify_all();
  }
  control_bell_.Ring();
}

void Session::StopRecording(EndReason reason, uint64_t deadline_ns) {
  // Half of the remaining time is left to the sources that are stopped later.
  const auto at_most = [&](uint64_t ns) { return std::min(ns, NsUntil(deadline_ns) / 2); };
  heap_.Stop(at_most(kSnapshotWaitNs));
  signals_.snapshots.Stop(at_most(kLastThreadsWaitNs), reason == EndReason::kProcessExit);
  signals_.cpu->Stop(at_most(kSamplesWaitNs));
  if (signals_.event_session.waits()) NoteNotSeen();
  if (reason == EndReason::kProcessExit) {
    signals_.event_session.Leave();
  } else {
    signals_.event_session.Stop(kSnapshotWaitNs);
  }
  {
    const std::lock_guard lock(mutex_);
    if (finish_ || drained_) return;
    finish_ = true;
    reason_ = reason;
  }
  state_ = State::kDraining;
  if (reason != EndReason::kProcessExit) {
    // Queries about what is left to encode continue.
    info_->SetEventMask2(clr::kForQuestions.low, clr::kForQuestions.high);
  }
  drain_waker_.Wake();
}

bool Session::WaitUntilDrained(uint64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns), [&] { return drained_; });
}

void Session::ProcessExits() {
  const uint64_t begun_ns = MonotonicNs();
  if (state_ == State::kRecording) {
    signals_.exit_calls.Exiting(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  }
  exiting_ = true;
  StopRecording(EndReason::kProcessExit, begun_ns + kExitSourcesNs);
  WaitUntilDrained(NsUntil(begun_ns + kExitDrainNs));
  // The socket must not outlive the process: wait until its thread has removed it.
  control_bell_.Ring();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(NsUntil(begun_ns + kExitNs)),
                    [&] { return control_ended_; });
}

void Session::ReleaseMemory() {
  ThreadTracks::Instance().Release(id_, budget_);
  CpuSlots::Instance().Release(id_, budget_);
  signal_walker_.Close(budget_);
  stacks_.Close(budget_);
  signals_.snapshots.Close(budget_);
  signals_.survivors.Release(budget_);
}

void Session::DetachSucceeded() {
  // No callback runs any more, and no other attach can begin before this returns; afterwards,
  // tracks may belong to another session.
  ReleaseMemory();
  state_ = State::kClosed;
  detached_ = true;
  control_bell_.Ring();
}

void Session::Detach() {
  state_ = State::kDetaching;
  // Their threads may be inside the runtime, and must not return to an unloaded profiler.
  if (!heap_.Stop(kStopWaitNs) || !signals_.snapshots.Stop(kStopWaitNs)) {
    Fail("A snapshot does not end; the recorder stays loaded but inactive.");
    state_ = State::kClosed;
    return;
  }
  if (!signals_.event_session.Stop(kStopWaitNs)) {  // likewise
    Fail("The runtime event session does not end; the recorder stays loaded but inactive.");
    state_ = State::kClosed;
    return;
  }
  if (!signals_.cpu->Stop(kStopWaitNs)) {  // a thread may still be writing into its ring
    Fail("A signal handler does not end; the recorder stays loaded but inactive.");
    state_ = State::kClosed;
    return;
  }
  info_->SetEventMask2(0, 0);  // no more queries
  if (clr::Failed(info_->RequestProfilerDetach(kDetachHintMs))) {
    Fail("The runtime refused to unload the recorder; it stays loaded but inactive.");
    state_ = State::kClosed;
  }
}

void Session::Fail(std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (failure_.empty()) failure_ = why;
}

}  // namespace hindsight::recorder
