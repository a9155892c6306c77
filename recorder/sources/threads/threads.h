// Source `threads`, on the application's threads: their names, starts and ends. A start or an end
// for which there is no room is counted.
#pragma once

#include <span>

#include "recorder/clr/info.h"
#include "recorder/names/thread_gate.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxThreadNameUnits = 256;

// kThreadCreating, kThreadCreated, kThreadAssigned, kThreadDestroyed, and kThreadNamed with a tail
// of `name_units`.
struct ThreadEvent {
  EventHeader header;
  uint64_t clr_thread;  // ThreadID
  uint32_t os_id;       // kThreadAssigned
  uint32_t stack;       // kThreadCreating: handle of the stack that starts it
  uint32_t name_units;  // kThreadNamed
  bool seen;            // it was already alive when the recording began
};

class Threads {
 public:
  Threads(ThreadGate& gate, Emitter& emitter, StackTable& stacks, StackWalker& walker)
      : gate_(gate), emitter_(emitter), stacks_(stacks), walker_(walker) {}

  // After an attach: reports the threads that are already alive.
  void Enumerate();

  // The calling thread is about to start `thread`. The runtime's callback comes on the new thread,
  // so this comes from an event of the source `locks`; `frame_address` is that of its callback's
  // frame.
  void Creating(clr::ThreadID thread, uintptr_t frame_address);
  void Created(clr::ThreadID thread);
  void Assigned(clr::ThreadID thread, uint32_t os_id);
  void Named(clr::ThreadID thread, std::span<const char16_t> name);
  void Destroyed(clr::ThreadID thread);

 private:
  void Emit(EventKind kind, clr::ThreadID thread, uint32_t os_id, bool seen);
  // False: there was no room.
  bool TryEmit(EventKind kind, clr::ThreadID thread, uint32_t os_id);

  ThreadGate& gate_;
  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
};

}  // namespace hindsight::recorder
