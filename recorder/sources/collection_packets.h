// Source `gc`, on the drain thread: collections with what the runtime's events tell of them, and
// suspensions.
//
// Collections nest: those of the young generations run inside a background one. Events carry no
// number but at the start and the end, so they belong to the innermost collection that has not
// ended, the last one (GCHeapStats) to that which has just done so.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "recorder/sources/collection_facts.h"
#include "recorder/sources/gc.h"
#include "recorder/sources/source.h"

namespace hindsight::recorder {

class CollectionPackets final : public Source {
 public:
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // A collection whose events have not all come until the second segment is written without them.
  void Flush(PacketWriter& packets) override;
  // The recording ends: what is held back is written as it is.
  void Finish(PacketWriter& packets);
  // Of the heap after the last collection that told; 0: none did.
  uint64_t heap_bytes() const { return heap_bytes_; }

 private:
  struct Pending {
    CollectionEvent event;
    uint32_t flushes = 0;
  };
  static constexpr size_t kMaxFacts = 64, kMaxPending = 64;
  static constexpr uint32_t kMaxFlushes = 2;

  void OnDetail(uint32_t id, std::span<const uint8_t> payload);
  CollectionFacts* Find(uint32_t runtime_number);
  CollectionFacts* Innermost();
  void WriteComplete(PacketWriter& packets);
  static void Write(const CollectionEvent& event, const CollectionFacts* facts,
                    PacketWriter& packets);

  std::deque<CollectionFacts> facts_;  // in the order of their starts; the last ones
  uint32_t last_ended_ = 0;            // number
  uint64_t heap_bytes_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace hindsight::recorder
