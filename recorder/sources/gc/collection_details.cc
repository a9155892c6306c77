#include "recorder/sources/gc/collection_details.h"

#include <algorithm>
#include <cstring>

#include "recorder/sources/gc/collection_facts.h"

namespace hindsight::recorder {

void CollectionDetails::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kGc)) return;
  plan.Add(EventProvider::kRuntime, EventLevel::kInformational, kKeyword);
}

void CollectionDetails::Delivered(const RuntimeEvent& delivered) {
  if (!Wants(delivered.id)) return;
  const std::span<const uint8_t> payload = delivered.payload;
  const uint64_t now = MonotonicNs();
  if (delivered.id == kStart) {
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
  event.id = delivered.id;
  event.bytes = static_cast<uint32_t>(bytes);
  if (bytes != 0) std::memcpy(&event + 1, payload.data(), bytes);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
