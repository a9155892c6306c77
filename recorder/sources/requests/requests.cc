#include "recorder/sources/requests/requests.h"

namespace hindsight::recorder {

void Requests::Delivered(uint32_t event) {
  if (event < kRequestStart || event > kUnhandledException) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  switch (event) {
    case kRequestStart:
      return track->requests.Started(now);
    case kRequestStop:
      return track->requests.Finished(now);
    default:
      return track->requests.Failed();
  }
}

}  // namespace hindsight::recorder
