// Source `gc`, on the drain thread: collections with the data of the runtime's events, and
// suspensions.
//
// Collections nest: those of the young generations run inside a background one. Only the start and
// end events carry a number, so the others belong to the innermost collection that has not ended,
// and the last one (GCHeapStats) to the collection that has just ended.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "recorder/encode/dictionary_writer.h"
#include "recorder/sources/gc/collection_details.h"
#include "recorder/sources/gc/collection_facts.h"
#include "recorder/sources/gc/gc.h"
#include "recorder/sources/packet_source.h"
#include "recorder/sources/threads/thread_roster.h"

namespace hindsight::recorder {

class CollectionPackets final : public PacketSource {
 public:
  CollectionPackets(DictionaryWriter& dictionaries, ThreadRoster& threads)
      : dictionaries_(dictionaries), threads_(threads) {}

  std::span<const EventKind> Kinds() const override {
    static constexpr EventKind kKinds[] = {EventKind::kCollection, EventKind::kSuspension,
                                           EventKind::kCollectionDetail, EventKind::kCollectCalled};
    return kKinds;
  }
  void Consume(const EventHeader& event, PacketWriter& packets) override;
  // A collection whose events are still incomplete at the second segment is written without them.
  void Flush(PacketWriter& packets) override;
  // At the last flush, what is held back is written as it is.
  void WillEnd() override { is_last_ = true; }
  // Heap size after the last collection that reported it; 0: none did.
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
  void OnCalled(const CollectCalledEvent& event, PacketWriter& packets);

  DictionaryWriter& dictionaries_;
  ThreadRoster& threads_;
  std::deque<CollectionFacts> facts_;  // in the order of their starts; the most recent ones
  uint32_t last_ended_ = 0;            // number
  uint64_t heap_bytes_ = 0;
  bool is_last_ = false;
  std::vector<Pending> pending_;
};

}  // namespace hindsight::recorder
