// The stack of an event, for the packet that it becomes. Drain thread.
#pragma once

#include <cstdint>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/stream/event.h"

namespace hindsight::recorder {

// The id of the stack in the dictionaries. `event` has the members `stack` and `frames_inline`; see
// stack/event_stack.h. May write dictionary packets.
template <typename Event>
uint32_t StackOf(const Event& event, DictionaryWriter& dictionaries) {
  return event.stack != 0 ? dictionaries.Stack(event.stack)
                          : dictionaries.Stack(TailOf<uintptr_t>(event, event.frames_inline));
}

}  // namespace hindsight::recorder
