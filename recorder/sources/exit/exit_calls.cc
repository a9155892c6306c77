#include "recorder/sources/exit/exit_calls.h"

#include "recorder/stack/event_stack.h"

namespace hindsight::recorder {

void ExitCalls::Exiting(uintptr_t frame_address) {
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const WalkedStack stack = walker_.Walk(*track, frame_address);
  if (stack.frames.empty()) return;
  const EventStack event_stack(stack.frames, stacks_.Intern(stack.frames));
  void* memory = emitter_.Reserve(*track, EventKind::kExitCalled, MonotonicNs(),
                                  sizeof(ExitCallEvent) + event_stack.tail_bytes());
  if (memory == nullptr) return;
  event_stack.WriteTo(*static_cast<ExitCallEvent*>(memory));
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
