#include "recorder/sources/requests/request_events.h"

namespace hindsight::recorder {

void RequestEvents::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kRequests)) return;
  plan.Add(EventProvider::kHosting, EventLevel::kInformational, kKeywords);
}

void RequestEvents::Delivered(const RuntimeEvent& event) {
  if (event.id < kRequestStart || event.id > kUnhandledException) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  switch (event.id) {
    case kRequestStart:
      return track->requests.Started(now);
    case kRequestStop:
      return track->requests.Finished(now);
    default:
      return track->requests.Failed();
  }
}

}  // namespace hindsight::recorder
