// A source that uses the runtime's events.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/contract/options.h"
#include "recorder/sources/events/event_plan.h"

namespace hindsight::recorder {

struct RuntimeEvent {
  EventProvider provider;
  uint32_t id;
  std::span<const uint8_t> payload;
  uintptr_t frame_address;  // of the callback's own frame
};

class EventSink {
 public:
  virtual ~EventSink() = default;

  // Adds what it needs from a runtime of this major version. Once, before any event.
  virtual void Plan(const contract::Options& options, int runtime, EventPlan& plan) const = 0;

  // An event of a provider in its plan, at the moment it occurs, on the thread that causes it; that
  // may also be one of the recorder's own threads (base/thread.h). Keywords cover many events, and
  // other sources enable others: it must ignore those that it does not know. Must not block or
  // throw.
  virtual void Delivered(const RuntimeEvent& event) = 0;
};

}  // namespace hindsight::recorder
