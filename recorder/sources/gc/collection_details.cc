#include "recorder/sources/gc/collection_details.h"

#include <algorithm>
#include <cstring>

#include "recorder/sources/gc/collection_facts.h"

namespace hindsight::recorder {

void CollectionDetails::Delivered(uint32_t event_id, std::span<const uint8_t> payload) {
  const uint64_t now = MonotonicNs();
  if (event_id == kStart) {
    CollectionFacts facts;
    if (facts.ReadStart(payload)) gc_.StartTold(facts.number, facts.generation, facts.induced());
  }
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  const size_t bytes = std::min(payload.size(), kMaxPayloadBytes);
  void* memory = emitter_.Reserve(*track, EventKind::kCollectionDetail, now,
                                  sizeof(CollectionDetailEvent) + bytes);
  if (memory == nullptr) return;
  auto& event = *static_cast<CollectionDetailEvent*>(memory);
  event.id = event_id;
  event.bytes = static_cast<uint32_t>(bytes);
  if (bytes != 0) std::memcpy(&event + 1, payload.data(), bytes);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
