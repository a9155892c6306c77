// Source `threads`, on the application's threads: which threads there are, their names and life.
#pragma once

#include <span>

#include "recorder/clr/info.h"
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
  bool seen;            // it lived already as the recording began
};

class Threads {
 public:
  Threads(clr::ICorProfilerInfo10* info, Emitter& emitter, StackTable& stacks, StackWalker& walker)
      : info_(info), emitter_(emitter), stacks_(stacks), walker_(walker) {}

  // After an attach: tells the threads that live already.
  void Enumerate();

  // The calling thread is about to start `thread`. The callback of the runtime comes on the new
  // thread, so this is told by an event of the source `locks`, whose callback's frame
  // `frame_address` is.
  void Creating(clr::ThreadID thread, uintptr_t frame_address);
  void Created(clr::ThreadID thread);
  void Assigned(clr::ThreadID thread, uint32_t os_id);
  void Named(clr::ThreadID thread, std::span<const char16_t> name);
  void Destroyed(clr::ThreadID thread);

 private:
  void Tell(EventKind kind, clr::ThreadID thread, uint32_t os_id, bool seen);

  clr::ICorProfilerInfo10* info_;
  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
};

}  // namespace hindsight::recorder
