#include "recorder/sources/threads/threads.h"

#include <algorithm>
#include <cstring>

#include "recorder/base/thread.h"

namespace hindsight::recorder {

void Threads::Enumerate() {
  gate_.ForEach([this](SeenThread thread) {
    uint32_t os_id = 0;
    if (const auto hold = gate_.Enter(thread)) os_id = hold->OsId();
    if (os_id == 0 || IsOwnThread(os_id)) return;  // 0: it has ended in the meantime
    Emit(EventKind::kThreadCreated, thread.id, 0, true);
    Emit(EventKind::kThreadAssigned, thread.id, os_id, true);
  });
}

void Threads::Creating(clr::ThreadID thread, uintptr_t frame_address) {
  if (OnOwnThread()) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  const uint32_t stack = stacks_.Intern(walker_.Walk(*track, frame_address).frames);
  if (stack == 0) return;  // the table is full
  emitter_.Emit<ThreadEvent>(EventKind::kThreadCreating, now, [&](ThreadEvent& event) {
    event.clr_thread = thread;
    event.os_id = 0;
    event.stack = stack;
    event.name_units = 0;
    event.seen = false;
  });
}

void Threads::Created(clr::ThreadID thread) { Emit(EventKind::kThreadCreated, thread, 0, false); }

void Threads::Assigned(clr::ThreadID thread, uint32_t os_id) {
  if (OnOwnThread() || TryEmit(EventKind::kThreadAssigned, thread, os_id)) return;
  ThreadTracks::Instance().CountStart();
}

void Threads::Destroyed(clr::ThreadID thread) {
  if (OnOwnThread() || TryEmit(EventKind::kThreadDestroyed, thread, 0)) return;
  ThreadTracks::Instance().CountEnd();
}

bool Threads::TryEmit(EventKind kind, clr::ThreadID thread, uint32_t os_id) {
  ThreadTrack* const track = emitter_.Track();
  if (track == nullptr) return false;
  void* const memory =
      emitter_.TryReserve(*track, kind, MonotonicNs(), sizeof(ThreadEvent), Claim::kOther);
  if (memory == nullptr) return false;
  auto& event = *static_cast<ThreadEvent*>(memory);
  event.clr_thread = thread;
  event.os_id = os_id;
  event.stack = event.name_units = 0;
  event.seen = false;
  emitter_.Commit(*track);
  return true;
}

void Threads::Named(clr::ThreadID thread, std::span<const char16_t> name) {
  if (OnOwnThread()) return;
  const size_t kept = std::min(name.size(), kMaxThreadNameUnits);
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  void* memory = emitter_.Reserve(*track, EventKind::kThreadNamed, MonotonicNs(),
                                  sizeof(ThreadEvent) + kept * sizeof(char16_t));
  if (memory == nullptr) return;
  auto& event = *static_cast<ThreadEvent*>(memory);
  event.clr_thread = thread;
  event.os_id = 0;
  event.name_units = static_cast<uint32_t>(kept);
  event.seen = false;
  std::memcpy(&event + 1, name.data(), kept * sizeof(char16_t));
  emitter_.Commit(*track);
}

void Threads::Emit(EventKind kind, clr::ThreadID thread, uint32_t os_id, bool seen) {
  if (OnOwnThread()) return;
  emitter_.Emit<ThreadEvent>(kind, MonotonicNs(), [&](ThreadEvent& event) {
    event.clr_thread = thread;
    event.os_id = os_id;
    event.name_units = 0;
    event.seen = seen;
  });
}

}  // namespace hindsight::recorder
