// The stack of an event: a handle of the stack table or, if the table has no room, the addresses
// themselves, stored after the event. The event has the members `stack` and `frames_inline`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "recorder/stack/stack_table.h"

namespace hindsight::recorder {

class EventStack {
 public:
  // `handle` as StackTable::Intern returned it for `frames`; 0: they go into the event.
  EventStack(std::span<const uintptr_t> frames, uint32_t handle)
      : handle_(handle), frames_(handle != 0 ? std::span<const uintptr_t>() : frames) {}

  uint32_t handle() const { return handle_; }
  size_t tail_bytes() const { return frames_.size_bytes(); }

  // `event` must have room for tail_bytes() after it.
  template <typename Event>
  void WriteTo(Event& event) const {
    event.stack = handle_;
    event.frames_inline = static_cast<uint32_t>(frames_.size());
    if (!frames_.empty()) std::memcpy(&event + 1, frames_.data(), frames_.size_bytes());
  }

 private:
  uint32_t handle_;
  std::span<const uintptr_t> frames_;
};

}  // namespace hindsight::recorder
