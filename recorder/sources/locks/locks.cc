#include "recorder/sources/locks/locks.h"

#include <algorithm>
#include <utility>

#include "recorder/base/thread.h"
#include "recorder/sources/events/payload.h"
#include "recorder/stack/event_stack.h"

namespace hindsight::recorder {
namespace {

// Ids and payloads: dotnet/runtime, src/coreclr/vm/ClrEtwAll.man.
enum : uint32_t {
  kPoolAdjustment = 55,
  kThreadCreating = 70,
  kContentionStart = 81,
  kContentionStop = 91,
  kWaitHandleStart = 301,
  kWaitHandleStop = 302,
};
// TplEventSource.cs.
enum : uint32_t { kTaskWaitBegin = 10, kTaskWaitEnd = 11 };

// Number of frames between the wait and the callback by which a wait and one inside it may differ:
// events of managed code have frames of their own.
constexpr uint32_t kOwnFrames = 4;

// A wait for a Monitor or a Lock contains no other waits, and a wait contains another one of its
// kind only if tasks run inside a wait for a task.
bool CanHold(WaitKind outer, WaitKind inner) {
  if (outer == WaitKind::kTask) return true;
  return outer == WaitKind::kMonitorWait && inner == WaitKind::kMonitor;
}

}  // namespace

void Locks::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kLocks)) return;
  plan.Add(EventProvider::kRuntime, EventLevel::kVerbose, kRuntimeKeywords);
  if (options.lock_task_waits) {
    plan.Add(EventProvider::kTasks, EventLevel::kVerbose, kTaskKeywords);
  }
}

void Locks::Delivered(const RuntimeEvent& event) {
  if (OnOwnThread()) return;
  if (event.provider == EventProvider::kTasks) {
    OfTasks(event);
  } else {
    OfRuntime(event);
  }
}

void Locks::OfRuntime(const RuntimeEvent& event) {
  const std::span<const uint8_t> payload = event.payload;
  switch (event.id) {
    case kContentionStart:
      Began({WaitKind::kMonitor, ReadPayload<uint64_t>(payload, 3),
             ReadPayload<uint64_t>(payload, 11),
             static_cast<uint32_t>(ReadPayload<uint64_t>(payload, 19))},
            event.frame_address);
      break;
    case kContentionStop:
      Ended(WaitKind::kMonitor);
      break;
    case kWaitHandleStart: {
      const bool monitor = ReadPayload<uint8_t>(payload, 0) == 1;
      Began({monitor ? WaitKind::kMonitorWait : WaitKind::kWaitHandle, 0,
             ReadPayload<uint64_t>(payload, 1), 0},
            event.frame_address);
      break;
    }
    case kWaitHandleStop:
      Ended(WaitKind::kWaitHandle);
      break;
    case kThreadCreating:
      threads_.Creating(ReadPayload<uint64_t>(payload, 0), event.frame_address);
      break;
    case kPoolAdjustment:
      emitter_.Emit<PoolAdjustedEvent>(
          EventKind::kPoolAdjusted, MonotonicNs(), [&](PoolAdjustedEvent& adjusted) {
            adjusted.throughput = ReadPayload<double>(payload, 0);
            adjusted.workers = ReadPayload<uint32_t>(payload, 8);
            adjusted.reason =
                EnumFrom<wire::PoolAdjustment::Reason>(ReadPayload<uint32_t>(payload, 12));
          });
      break;
    default:
      break;
  }
}

void Locks::OfTasks(const RuntimeEvent& event) {
  constexpr int32_t kSynchronous = 1;  // TplEventSource.TaskWaitBehavior
  if (event.id == kTaskWaitBegin && ReadPayload<int32_t>(event.payload, 12) == kSynchronous) {
    const auto task = static_cast<uint64_t>(ReadPayload<uint32_t>(event.payload, 8));
    Began({WaitKind::kTask, task, 0, 0}, event.frame_address);
  } else if (event.id == kTaskWaitEnd) {
    Ended(WaitKind::kTask);
  }
}

void Locks::Began(const Target& target, uintptr_t frame_address) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);

  const WalkedStack stack = walker_.Walk(*track, frame_address);
  const auto depth = static_cast<uint32_t>(stack.frames.size());
  while (track->wait_count > 0) {
    WaitInFlight& outer = track->waits_in_flight[track->wait_count - 1];
    const bool inside = outer.depth <= depth + kOwnFrames;
    // A Lock waits on a handle of its own, which is the same wait again.
    if (inside && outer.kind == WaitKind::kMonitor && target.kind == WaitKind::kWaitHandle) {
      outer.waits_on_handle = true;
      return;
    }
    if (inside && CanHold(outer.kind, target.kind)) break;
    Pop(*track, now);
  }
  const uint32_t handle = stacks_.Intern(stack.frames);
  WaitInFlight wait{0, now, depth, 0, target.kind, false};
  const TallyKey key{target.lock, handle, TallyKind::kWait, static_cast<uint16_t>(target.kind)};
  if (track->wait_count == kMaxWaitsInFlight) {
    CountDeeper(*track, emitter_.CountIn(*track, key), now);
    return;
  }
  bool in_detail = track->wait_count < kMaxWaitsInDetail;
  if (const uint64_t stride = emitter_.DetailStride(*track); in_detail && stride > 1) {
    wait.row = emitter_.CountIn(*track, key);
    in_detail = track->tally.Choose(wait.row, stride);
  }
  if (in_detail) wait.ordinal = Emit(*track, target, stack, handle, now);
  if (wait.ordinal == 0) {
    if (wait.row == 0) wait.row = emitter_.CountIn(*track, key);
    track->tally.Begin(wait.row, now, false);
  }
  track->waits_in_flight[track->wait_count++] = wait;
}

// There is no slot for its start: its time is included in the waits around it.
void Locks::CountDeeper(ThreadTrack& track, Tally::RowId row, uint64_t now) {
  ++track.deeper_waits;
  track.tally.Begin(row, now, false);
  track.tally.End(row, 0, 0);
}

// 0: there is no room.
uint64_t Locks::Emit(ThreadTrack& track, const Target& target, const WalkedStack& stack,
                     uint32_t handle, uint64_t now) {
  const EventStack event_stack(stack.frames, handle);
  void* memory =
      emitter_.TryReserve(track, EventKind::kLockWaitBegan, now,
                          sizeof(LockWaitBeganEvent) + event_stack.tail_bytes(), Claim::kDetail);
  if (memory == nullptr) return 0;
  auto& event = *static_cast<LockWaitBeganEvent*>(memory);
  event.ordinal = ++track.waits;
  event.lock = target.lock;
  event.object = target.object;
  event.owner = target.owner;
  event.kind = target.kind;
  event.stack_truncated = stack.truncated;
  event_stack.WriteTo(event);
  emitter_.Commit(track);
  return track.waits;
}

void Locks::Ended(WaitKind kind) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  if (track->deeper_waits > 0) {  // the innermost one is over
    --track->deeper_waits;
    return;
  }
  if (track->wait_count > 0 && kind == WaitKind::kWaitHandle) {
    WaitInFlight& innermost = track->waits_in_flight[track->wait_count - 1];
    if (std::exchange(innermost.waits_on_handle, false)) return;
  }
  // The end event of a wait on a handle does not show which of the two it was.
  const auto is_of_kind = [kind](const WaitInFlight& wait) {
    return wait.kind == kind ||
           (kind == WaitKind::kWaitHandle && wait.kind == WaitKind::kMonitorWait);
  };
  const WaitInFlight* const first = track->waits_in_flight;
  const WaitInFlight* const last = first + track->wait_count;
  const WaitInFlight* ended = last;
  while (ended != first && !is_of_kind(ended[-1])) --ended;
  if (ended == first) return;  // it began before the session, or inside a wait that is recorded
  while (first + track->wait_count >= ended) Pop(*track, now);
}

void Locks::Pop(ThreadTrack& track, uint64_t now) {
  track.deeper_waits = 0;
  const WaitInFlight wait = track.waits_in_flight[--track.wait_count];
  if (wait.ordinal == 0) {
    track.tally.End(wait.row, 0, now - wait.began_ns);
    return;
  }
  static_assert(sizeof(LockWaitEndedEvent) <= Emitter::kMaxEndBytes);
  void* memory = emitter_.Reserve(track, EventKind::kLockWaitEnded, now, sizeof(LockWaitEndedEvent),
                                  Claim::kEnd);
  if (memory == nullptr) return;
  static_cast<LockWaitEndedEvent*>(memory)->ordinal = wait.ordinal;
  emitter_.Commit(track);
}

}  // namespace hindsight::recorder
