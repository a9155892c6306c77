// Source `gc`, on the collecting threads: what the runtime's events say about a collection.
//
// The events come during the collection, while the application is paused. So they are only copied
// into the ring; the drain thread parses them (collection_packets.h).
#pragma once

#include <cstdint>
#include <span>

#include "recorder/sources/events/event_sink.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// Tail: the payload, `bytes` of it.
struct CollectionDetailEvent {
  EventHeader header;
  uint32_t id;  // of the runtime's event: CollectionDetails::Id
  uint32_t bytes;
};

class CollectionDetails final : public EventSink {
 public:
  static constexpr uint64_t kKeyword = 0x1;  // of the runtime's provider; informational
  enum Id : uint32_t {
    kStart = 1,
    kEnd = 2,
    kHeapStats = 4,
    kDynamic = 39,  // identified by name in the payload; only CommittedUsage is used
    kPerHeapHistory = 204,
    kGlobalHeapHistory = 205,
  };
  // Longer payloads are cut; the longest that is used, one heap's history, has about 460 bytes.
  static constexpr size_t kMaxPayloadBytes = 1024;

  CollectionDetails(Emitter& emitter, Gc& gc) : emitter_(emitter), gc_(gc) {}

  void Plan(const contract::Options& options, int runtime, EventPlan& plan) const override;
  void Delivered(const RuntimeEvent& event) override;

 private:
  static bool Wants(uint32_t event) {
    return event == kStart || event == kEnd || event == kHeapStats || event == kDynamic ||
           event == kPerHeapHistory || event == kGlobalHeapHistory;
  }

  Emitter& emitter_;
  Gc& gc_;
};

}  // namespace hindsight::recorder
