#include "recorder/sources/gc/collection_details.h"

#include <algorithm>
#include <cstring>

#include "recorder/base/thread.h"
#include "recorder/sources/events/payload.h"
#include "recorder/sources/gc/collection_facts.h"
#include "recorder/stack/event_stack.h"

namespace hindsight::recorder {

void CollectionDetails::Plan(const contract::Options& options, int, EventPlan& plan) const {
  if (!options.Has(contract::Source::kGc)) return;
  plan.Add(EventProvider::kRuntime, EventLevel::kInformational, kKeyword);
}

void CollectionDetails::Delivered(const RuntimeEvent& delivered) {
  if (delivered.id == kTriggered) return Triggered(delivered);
  if (!Wants(delivered.id)) return;
  const std::span<const uint8_t> payload = delivered.payload;
  const uint64_t now = MonotonicNs();
  if (delivered.id == kStart) {
    CollectionFacts facts;
    if (facts.ReadStart(payload)) {
      gc_.StartReported(facts.number, facts.generation, facts.induced());
    }
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

void CollectionDetails::Triggered(const RuntimeEvent& delivered) {
  if (delivered.payload.size() < sizeof(uint32_t) || OnOwnThread()) return;
  const auto reason = ReadPayload<uint32_t>(delivered.payload, 0);
  if (!IsInduced(reason)) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  const WalkedStack stack = walker_.Walk(*track, delivered.frame_address);
  const EventStack event_stack(stack.frames, stacks_.Intern(stack.frames));
  void* memory = emitter_.Reserve(*track, EventKind::kCollectCalled, now,
                                  sizeof(CollectCalledEvent) + event_stack.tail_bytes());
  if (memory == nullptr) return;
  auto& event = *static_cast<CollectCalledEvent*>(memory);
  event.reason = reason;
  event_stack.WriteTo(event);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
