// Source `gc`, on the collecting threads: what the runtime's events say about a collection.
//
// The events come during the collection, while the application is paused. So they are only copied
// into the ring; the drain thread parses them (collection_packets.h).
//
// The caller of GC.Collect is on the stack of GCTriggered, which comes on the calling thread,
// whichever thread collects (dotnet/runtime, src/coreclr/gc/gc.cpp, GarbageCollectGeneration). With
// the workstation collector, all other managed threads have stopped by then. A stack walk requests
// from the runtime only what the collector itself requests when it walks the stacks of all threads.
#pragma once

#include <cstdint>
#include <span>

#include "recorder/sources/events/event_sink.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// Tail: the payload, `bytes` of it.
struct CollectionDetailEvent {
  EventHeader header;
  uint32_t id;  // of the runtime's event: CollectionDetails::Id
  uint32_t bytes;
};

// Tail: `frames_inline` addresses.
struct CollectCalledEvent {
  EventHeader header;
  uint32_t reason;  // GCReason
  uint32_t stack;   // handle; 0: inline, or none
  uint32_t frames_inline;
  uint32_t padding;
};
static_assert(sizeof(CollectCalledEvent) % sizeof(uintptr_t) == 0);

class CollectionDetails final : public EventSink {
 public:
  static constexpr uint64_t kKeyword = 0x1;  // of the runtime's provider; informational
  enum Id : uint32_t {
    kStart = 1,
    kEnd = 2,
    kHeapStats = 4,
    kTriggered = 35,
    kDynamic = 39,  // identified by name in the payload; only CommittedUsage is used
    kPerHeapHistory = 204,
    kGlobalHeapHistory = 205,
  };
  // Longer payloads are cut; the longest that is used, one heap's history, has about 460 bytes.
  static constexpr size_t kMaxPayloadBytes = 1024;

  CollectionDetails(Emitter& emitter, Gc& gc, StackTable& stacks, StackWalker& walker)
      : emitter_(emitter), gc_(gc), stacks_(stacks), walker_(walker) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  static bool Wants(uint32_t event) {
    return event == kStart || event == kEnd || event == kHeapStats || event == kDynamic ||
           event == kPerHeapHistory || event == kGlobalHeapHistory;
  }

  void Triggered(const RuntimeEvent& event);

  Emitter& emitter_;
  Gc& gc_;
  StackTable& stacks_;
  StackWalker& walker_;
};

}  // namespace hindsight::recorder
