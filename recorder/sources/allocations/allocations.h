// Source `allocations`, on the application's threads: allocated objects, as sampled by the runtime.
//
// - .NET 10: AllocationSampled. Each byte is sampled with the same probability (1 in kMeanBytes),
//   independently, so bytes and counts can be estimated without bias. Large objects, however, are
//   sampled slightly too rarely: as if each had 8 KiB less, which is what a thread's allocation
//   context may have left (measured on 10.0: objects of 100,024 bytes, 5 % too few).
// - Earlier: AllocationTick, the object that used up a budget of about 100 KiB; there is one budget
//   per kind of heap (and per heap with Server GC). Sizes of large objects include the padding
//   before them, up to 32 bytes.
//
// Both events come on the allocating thread, in the middle of the allocation: the object has its
// address but no MethodTable yet, so it must not be inspected. The event contains the MethodTable
// that it will get, which is the ClassID of the profiling API; the drain thread looks up its name.
#pragma once

#include <cstdint>
#include <span>

#include "proto/recording_fields.h"
#include "recorder/sources/events/event_sink.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

class SurvivorTracker;

using AllocationSampling = wire::AllocationSamples::Sampling;
using AllocationHeap = wire::AllocationSamples::Heap;

// The content of an event. `sampling` kUnknown: not an allocation event, or truncated.
struct SampledAllocation {
  AllocationSampling sampling = AllocationSampling::kUnknown;
  AllocationHeap heap = AllocationHeap::kSmall;
  uint64_t type = 0;     // ClassID
  uint64_t address = 0;  // until the next collection
  uint64_t size = 0;     // bytes
  uint64_t amount = 0;   // kTick: bytes since the previous tick
};
SampledAllocation ParseAllocation(uint32_t event, std::span<const uint8_t> payload);

// Tail: `frames_inline` addresses.
struct AllocationSampledEvent {
  EventHeader header;
  uint64_t type, size, amount;
  uint32_t stack;  // handle; 0: inline, or none
  uint32_t frames_inline;
  AllocationSampling sampling;
  AllocationHeap heap;
};

class Allocations final : public EventSink {
 public:
  // AllocationSampled: dotnet/runtime, src/coreclr/vm/gcheaputilities.h, ComputeGeometricRandom.
  static constexpr uint64_t kMeanBytes = 102'400;
  // Keywords of the runtime's provider, by runtime version.
  static constexpr int kSampledSince = 10;  // .NET
  static constexpr uint64_t kSampledKeyword = 0x80000000000;
  static constexpr uint64_t kTickKeyword = 0x1;  // verbose

  Allocations(Emitter& emitter, StackTable& stacks, StackWalker& walker, SurvivorTracker& survivors)
      : emitter_(emitter), stacks_(stacks), walker_(walker), survivors_(survivors) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  friend SampledAllocation ParseAllocation(uint32_t event, std::span<const uint8_t> payload);
  enum : uint32_t { kTick = 10, kSampled = 303 };
  static bool Wants(uint32_t event) { return event == kTick || event == kSampled; }

  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
  SurvivorTracker& survivors_;
};

}  // namespace hindsight::recorder
