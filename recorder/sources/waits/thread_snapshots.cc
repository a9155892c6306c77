#include "recorder/sources/waits/thread_snapshots.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "recorder/stack/event_stack.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
// The first periodic snapshot comes early, to compare with the one before it.
constexpr uint64_t kFirstNs = kSecond;
// After an attach they are close at first, and then as far apart as a quarter of the time since: an
// attach in an outage is often over in less than a minute.
constexpr uint64_t kDenser = 4;
// A snapshot that costs a second is followed by the next one 1000 seconds later.
constexpr uint64_t kStretch = 1000;
// Suspensions up to this long count as quick.
constexpr uint64_t kQuickStopNs = kSecond / 20;
constexpr uint64_t kLookNs = 3600 * kSecond;
// The pool makes no progress: work items wait, and none was completed for this long.
constexpr uint64_t kNoProgressNs = 2 * kSecond;
constexpr uint64_t kNoProgressAgainNs = 60 * kSecond;
constexpr uint64_t kRequestNs = 10 * kSecond;
// How long to wait in total for room in a full ring.
constexpr uint64_t kRingWaitNs = kSecond;

}  // namespace

std::string ThreadSnapshots::Start(std::shared_ptr<void> owner, MemoryBudget& budget) {
  if (!snapshot_.Open(budget)) {
    return "limit.memory leaves no memory for thread snapshots; everything else is recorded.";
  }
  const std::lock_guard lock(mutex_);
  open_ = worker_.Start("hindsight-snap", std::move(owner), [this] { Run(); });
  if (open_) return {};
  return "The thread for thread snapshots could not be started; everything else is recorded.";
}

void ThreadSnapshots::Ready(bool look_first) {
  const std::lock_guard lock(mutex_);
  ready_ = true;
  look_first_ = look_first;
  changed_.notify_all();
  waker_.Wake();
}

void ThreadSnapshots::Run() {
  // Before the application's threads have used the memory up.
  if (records_ || options_.Has(contract::Source::kHeap)) emitter_.Track();
  bool take_last = false;
  while (true) {
    uint64_t now = MonotonicNs();
    const uint64_t wait_ns = next_ns_ == 0 ? kLookNs : std::max(next_ns_, now + 1) - now;
    waker_.Wait(std::min(wait_ns, kLookNs));
    now = MonotonicNs();
    ThreadSnapshotTrigger trigger;
    {
      const std::lock_guard lock(mutex_);
      take_last = ready_ && records_ && (!exiting_ || StopsQuickly());
      if (stopping_) break;
      if (!ready_) continue;
      if (next_ns_ == 0 && records_ && options_.waits_every_ns != 0) {
        next_ns_ = now + std::min(options_.waits_every_ns, kFirstNs);
        if (look_first_) attached_ns_ = now;
      }
    }
    MakeForHeap();
    MakeForOwners(now);
    if (IsDue(now, &trigger)) Make(trigger, 0);
  }
  if (take_last) Make(ThreadSnapshotTrigger::kLast, 0);
  const std::lock_guard lock(mutex_);
  open_ = requested_ = false;
  changed_.notify_all();
}

// A thread may run where the runtime cannot stop it (seen on .NET 8: a loop around
// Thread.SpinWait); a collection would then wait as long as a snapshot does.
bool ThreadSnapshots::StopsQuickly() const {
  return number_ > 0 && snapshot_.stopping_ns() < kQuickStopNs;
}

bool ThreadSnapshots::IsDue(uint64_t now, ThreadSnapshotTrigger* trigger) {
  {
    const std::lock_guard lock(mutex_);
    if (requested_) {
      *trigger = ThreadSnapshotTrigger::kRequested;
      return true;
    }
    if (records_ && std::exchange(look_first_, false)) {
      *trigger = ThreadSnapshotTrigger::kFirst;
      return true;
    }
  }
  if (!records_) return false;
  if (no_progress_.exchange(false) && now >= no_progress_again_ns_) {
    no_progress_again_ns_ = now + kNoProgressAgainNs;
    *trigger = ThreadSnapshotTrigger::kNoProgress;
    return true;
  }
  *trigger = ThreadSnapshotTrigger::kPeriodic;
  return next_ns_ != 0 && now >= next_ns_;
}

uint64_t ThreadSnapshots::IntervalAt(uint64_t now) const {
  if (attached_ns_ == 0) return options_.waits_every_ns;
  return std::min(options_.waits_every_ns, std::max(kFirstNs, (now - attached_ns_) / kDenser));
}

void ThreadSnapshots::Make(ThreadSnapshotTrigger trigger, uint32_t heap_snapshot) {
  const uint64_t cpu_ns = ThreadCpuNs();
  const bool made = snapshot_.Take(info_, gate_);
  if (made) ++number_;
  if (next_ns_ != 0) {
    const uint64_t cost_ns = std::max(ThreadCpuNs() - cpu_ns, made ? snapshot_.pause_ns() : 0);
    const uint64_t now = MonotonicNs();
    next_ns_ = now + std::max(IntervalAt(now), cost_ns * kStretch);
  }
  // A heap snapshot reads the locks in its own copy of the process.
  if (made && records_ && trigger != ThreadSnapshotTrigger::kHeap) monitor_waits_.Look(snapshot_);
  const std::span<const SnapshotThread> threads = snapshot_.threads();
  {
    const std::lock_guard lock(mutex_);
    if (trigger == ThreadSnapshotTrigger::kHeap) {
      // If its time is up, no thread waits for it any more.
      if (heap_ == Heap::kTaking) heap_ = made ? Heap::kHeld : Heap::kNone;
      changed_.notify_all();
    }
    taken_ = {number_, static_cast<uint32_t>(threads.size()), snapshot_.stopping_ns(),
              snapshot_.pause_ns()};
  }
  if (made && (records_ || heap_snapshot != 0)) Emit(trigger, heap_snapshot);
  const std::lock_guard lock(mutex_);
  if (trigger != ThreadSnapshotTrigger::kRequested) return;
  made_ = made;
  requested_ = false;
  changed_.notify_all();
}

void ThreadSnapshots::RequestOwners(std::span<const uint32_t> os_ids) {
  const std::lock_guard lock(mutex_);
  owner_count_ = std::min(os_ids.size(), kMaxOwners);
  std::copy_n(os_ids.begin(), owner_count_, owners_.begin());
  waker_.Wake();
}

void ThreadSnapshots::MakeForOwners(uint64_t now) {
  if (now < owners_again_ns_) return;
  std::array<uint32_t, kMaxOwners> owners;
  size_t count;
  {
    const std::lock_guard lock(mutex_);
    owners = owners_;
    count = std::exchange(owner_count_, 0);
  }
  if (count == 0 || !snapshot_.Take(info_, gate_)) return;
  owners_again_ns_ = MonotonicNs() + std::max(kSecond, snapshot_.pause_ns() * kStretch);
  ThreadTrack* const track = emitter_.Track();
  if (track == nullptr) return;
  const auto end = owners.begin() + static_cast<ptrdiff_t>(count);
  for (const SnapshotThread& thread : snapshot_.threads()) {
    if (std::find(owners.begin(), end, thread.os_id) == end) continue;
    if (!EmitThread(*track, thread, EventKind::kLockOwnerSeen, {})) return;
  }
  emitter_.Hurry();
}

void ThreadSnapshots::MakeForHeap() {
  uint32_t number;
  {
    const std::lock_guard lock(mutex_);
    if (heap_ != Heap::kRequested) return;
    heap_ = Heap::kTaking;
    number = heap_number_;
  }
  Make(ThreadSnapshotTrigger::kHeap, number);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return heap_ != Heap::kHeld; });
}

const ThreadSnapshotTaker* ThreadSnapshots::TakeForHeap(uint32_t heap_snapshot,
                                                        uint64_t timeout_ns) {
  std::unique_lock lock(mutex_);
  if (!open_ || !ready_ || stopping_) return nullptr;
  heap_ = Heap::kRequested;
  heap_number_ = heap_snapshot;
  waker_.Wake();
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout_ns),
                    [&] { return heap_ == Heap::kHeld || heap_ == Heap::kNone || !open_; });
  if (heap_ == Heap::kHeld) return &snapshot_;
  heap_ = Heap::kNone;
  return nullptr;
}

void ThreadSnapshots::DoneForHeap() {
  const std::lock_guard lock(mutex_);
  heap_ = Heap::kNone;
  changed_.notify_all();
}

bool ThreadSnapshots::Stop(uint64_t timeout_ns, bool process_exits) {
  {
    const std::lock_guard lock(mutex_);
    exiting_ = exiting_ || process_exits;
    stopping_ = true;
  }
  waker_.Wake();
  return worker_.WaitForEnd(timeout_ns);
}

bool ThreadSnapshots::Request(Taken* taken, std::string* why) {
  constexpr std::chrono::nanoseconds kWait{kRequestNs};
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kWait, [&] { return ready_ || !open_ || stopping_; });
  if (!open_ || !ready_ || stopping_) {
    *why = "The recorder is not ready for a thread snapshot, or is ending.";
    return false;
  }
  requested_ = true;
  made_ = false;
  waker_.Wake();
  if (!changed_.wait_for(lock, kWait, [&] { return !requested_; })) {
    *why =
        "The runtime did not suspend its threads within 10 s; the snapshot will be taken when it "
        "does.";
    return false;
  }
  if (!made_) {
    *why = "The runtime refused to suspend its threads; try again.";
    return false;
  }
  *taken = taken_;
  return true;
}

void ThreadSnapshots::PoolSampled(uint64_t queue_length, uint64_t completed) {
  const uint64_t now = MonotonicNs();
  const bool progress = completed_.exchange(completed, std::memory_order_relaxed) != completed;
  if (queue_length == 0 || progress) {
    stuck_since_ns_.store(0, std::memory_order_relaxed);
    return;
  }
  uint64_t since = 0;
  if (stuck_since_ns_.compare_exchange_strong(since, now) || now - since < kNoProgressNs) return;
  no_progress_.store(true);
  waker_.Wake();
}

void ThreadSnapshots::Emit(ThreadSnapshotTrigger trigger, uint32_t heap_snapshot) {
  ThreadTrack* const track = emitter_.Track();
  if (track == nullptr) return;
  void* const memory = Reserve(*track, EventKind::kThreadSnapshot, sizeof(ThreadSnapshotEvent));
  if (memory == nullptr) return;
  auto& event = *static_cast<ThreadSnapshotEvent*>(memory);
  event.number = number_;
  event.trigger = trigger;
  event.threads = static_cast<uint32_t>(snapshot_.threads().size());
  event.heap_snapshot = heap_snapshot;
  event.stopping_ns = snapshot_.stopping_ns();
  event.pause_ns = snapshot_.pause_ns();
  event.next_ns = next_ns_;
  emitter_.Commit(*track);
  const uint64_t give_up_ns = MonotonicNs() + kRingWaitNs;
  const bool knows_waits = trigger != ThreadSnapshotTrigger::kHeap;
  for (size_t i = 0; i < snapshot_.threads().size(); ++i) {
    const SnapshotThread& thread = snapshot_.threads()[i];
    // The ring holds the stacks of about a thousand threads: let the drain thread make room.
    while (track->ring.UsedByProducer() > track->ring.capacity() / 2 &&
           MonotonicNs() < give_up_ns) {
      emitter_.Hurry();
      constexpr timespec kPause = {0, 1'000'000};
      nanosleep(&kPause, nullptr);
    }
    const MonitorWait wait = knows_waits ? monitor_waits_.Of(i) : MonitorWait{};
    if (!EmitThread(*track, thread, EventKind::kThreadState, wait)) return;
  }
  emitter_.Hurry();
}

bool ThreadSnapshots::EmitThread(ThreadTrack& track, const SnapshotThread& thread, EventKind kind,
                                 const MonitorWait& wait) {
  size_t depth = 0;
  bool truncated = thread.truncated;
  for (const SnapshotFrame& frame : snapshot_.frames(thread)) {
    if (depth == track.frame_capacity && !track.GrowFrames()) {
      truncated = true;
      break;
    }
    track.frames[depth++] = frame.ip;
  }
  const std::span<const uintptr_t> frames = {track.frames, depth};
  const EventStack event_stack(frames, HandleOf(frames));
  void* const memory = Reserve(track, kind, sizeof(ThreadStateEvent) + event_stack.tail_bytes());
  if (memory == nullptr) return false;
  auto& event = *static_cast<ThreadStateEvent*>(memory);
  event.header.thread = thread.os_id;
  event.snapshot = kind == EventKind::kThreadState ? number_ : 0;
  event.state = thread.run.state;
  event.stack_truncated = truncated;
  event.cpu_ns = thread.run.cpu_ns;
  event.switches = thread.run.switches;
  event.ready_ns = thread.run.ready_ns;
  event.lock = wait.lock;
  event.lock_owner = wait.owner_os_id;
  event_stack.WriteTo(event);
  emitter_.Commit(track);
  return true;
}

// Only a stack seen before gets an entry in the table, which is never emptied: the stacks of
// running threads differ each time.
uint32_t ThreadSnapshots::HandleOf(std::span<const uintptr_t> frames) {
  uint64_t hash = frames.size();
  for (const uintptr_t ip : frames) hash = (hash ^ ip) * 0x9e3779b97f4a7c15u;
  const auto mark = static_cast<uint32_t>(hash) | 1;
  uint32_t& met = met_[hash >> 52];
  if (met == mark) return stacks_.Intern(frames);
  met = mark;
  return 0;
}

void* ThreadSnapshots::Reserve(ThreadTrack& track, EventKind kind, size_t bytes) {
  return emitter_.Reserve(track, kind, snapshot_.taken_ns(), bytes);
}

}  // namespace hindsight::recorder
