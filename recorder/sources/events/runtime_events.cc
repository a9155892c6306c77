#include "recorder/sources/events/runtime_events.h"

#include "recorder/clr/runtime_version.h"
#include "recorder/sources/events/provider_name.h"

namespace hindsight::recorder {

RuntimeEvents::RuntimeEvents(clr::ICorProfilerInfo10* info, const contract::Options& options,
                             std::initializer_list<EventSink*> sinks)
    : info_(info) {
  const int runtime = clr::MajorVersion(info);
  for (EventSink* sink : sinks) {
    EventPlan plan;
    sink->Plan(options, runtime, plan);
    for (size_t i = 0; i < sinks_.size(); ++i) {
      if (plan.Has(static_cast<EventProvider>(i))) sinks_[i].push_back(sink);
    }
    plan_.Add(plan);
  }
}

std::optional<EventProvider> RuntimeEvents::Identify(clr::EVENTPIPE_PROVIDER provider) {
  for (size_t i = 0; i < providers_.size(); ++i) {
    if (providers_[i].load(std::memory_order_relaxed) == provider) {
      return static_cast<EventProvider>(i);
    }
  }
  const ProviderName name(info_, provider);
  for (size_t i = 0; i < providers_.size(); ++i) {
    if (name.view() != kEventProviderNames[i]) continue;
    providers_[i].store(provider, std::memory_order_relaxed);
    return static_cast<EventProvider>(i);
  }
  return {};  // EventPipe's own provider describes the process when a session ends
}

void RuntimeEvents::Delivered(clr::EVENTPIPE_PROVIDER provider, uint32_t event,
                              std::span<const uint8_t> payload, uintptr_t frame_address) {
  const std::optional<EventProvider> known = Identify(provider);
  if (!known) return;
  const RuntimeEvent delivered = {*known, event, payload, frame_address};
  for (EventSink* sink : sinks_[static_cast<size_t>(*known)]) sink->Delivered(delivered);
}

}  // namespace hindsight::recorder
