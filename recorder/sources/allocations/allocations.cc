#include "recorder/sources/allocations/allocations.h"

#include "recorder/base/thread.h"
#include "recorder/sources/allocations/survivor_tracker.h"
#include "recorder/sources/events/payload.h"
#include "recorder/stack/event_stack.h"

namespace hindsight::recorder {

SampledAllocation ParseAllocation(uint32_t event, std::span<const uint8_t> payload) {
  SampledAllocation allocation;
  // AllocationTick_V4: amount (32 bits), kind, instance (16 bits), amount (64 bits), type, its
  // name, heap, address, size. AllocationSampled: kind, instance, type, its name, address, size,
  // offset of the sampled byte. Only the names vary in length.
  const bool is_tick = event == Allocations::kTick;
  const size_t kind_at = is_tick ? 4 : 0, type_at = is_tick ? 18 : 6;
  const size_t address_at = AfterText(payload, type_at + 8) + (is_tick ? 4 : 0);
  if (!Allocations::Wants(event) || address_at + 16 > payload.size()) return allocation;
  const auto kind = ReadPayload<uint32_t>(payload, kind_at);
  if (kind > static_cast<uint32_t>(AllocationHeap::kPinned)) return allocation;
  allocation.sampling = is_tick ? AllocationSampling::kTick : AllocationSampling::kBytes;
  allocation.heap = static_cast<AllocationHeap>(kind);
  allocation.type = ReadPayload<uint64_t>(payload, type_at);
  allocation.address = ReadPayload<uint64_t>(payload, address_at);
  allocation.size = ReadPayload<uint64_t>(payload, address_at + 8);
  if (is_tick) allocation.amount = ReadPayload<uint64_t>(payload, 10);
  return allocation;
}

void Allocations::Plan(const contract::Options& options, int runtime, EventPlan& plan) const {
  if (!options.Has(contract::Source::kAllocations)) return;
  if (runtime >= kSampledSince) {
    plan.Add(EventProvider::kRuntime, EventLevel::kInformational, kSampledKeyword);
  } else {
    plan.Add(EventProvider::kRuntime, EventLevel::kVerbose, kTickKeyword);
  }
}

void Allocations::Delivered(const RuntimeEvent& delivered) {
  if (!Wants(delivered.id) || OnOwnThread()) return;
  const uint64_t now = MonotonicNs();
  const SampledAllocation allocation = ParseAllocation(delivered.id, delivered.payload);
  if (allocation.sampling == AllocationSampling::kUnknown) return;
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);
  const WalkedStack stack = walker_.Walk(*track, delivered.frame_address);
  const uint32_t handle = stacks_.Intern(stack.frames);
  survivors_.Follow(allocation, handle, track->os_id.load(std::memory_order_relaxed), now);
  const EventStack event_stack(stack.frames, handle);
  void* memory = emitter_.Reserve(*track, EventKind::kAllocationSampled, now,
                                  sizeof(AllocationSampledEvent) + event_stack.tail_bytes());
  if (memory == nullptr) return;
  auto& event = *static_cast<AllocationSampledEvent*>(memory);
  event.type = allocation.type;
  event.size = allocation.size;
  event.amount = allocation.amount;
  event.sampling = allocation.sampling;
  event.heap = allocation.heap;
  event_stack.WriteTo(event);
  emitter_.Commit(*track);
}

}  // namespace hindsight::recorder
