// Passes the runtime's events on to the sources that need them, on the threads that cause them.
//
// Sessions of our own (event_session.h) deliver them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "recorder/clr/info.h"
#include "recorder/contract/options.h"
#include "recorder/sources/events/event_sink.h"

namespace hindsight::recorder {

class RuntimeEvents {
 public:
  // The sinks live as long as this.
  RuntimeEvents(clr::ICorProfilerInfo10* info, const contract::Options& options,
                std::initializer_list<EventSink*> sinks);

  // What all sources together need.
  const EventPlan& plan() const { return plan_; }

  // EventPipeEventDelivered. `frame_address` is that of the callback's own frame.
  void Delivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event, std::span<const uint8_t> payload,
                 uintptr_t frame_address);

 private:
  std::optional<EventProvider> Identify(clr::EVENTPIPE_PROVIDER provider);

  clr::ICorProfilerInfo10* const info_;
  EventPlan plan_;
  std::array<std::vector<EventSink*>, kEventProviderNames.size()> sinks_;  // by provider
  // Learned from the first event of each; addresses of the runtime, valid as long as it is.
  std::array<std::atomic<clr::EVENTPIPE_PROVIDER>, kEventProviderNames.size()> providers_ = {};
};

}  // namespace hindsight::recorder
