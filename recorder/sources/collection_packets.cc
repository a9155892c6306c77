#include "recorder/sources/collection_packets.h"

#include <algorithm>

#include "recorder/encode/packet_writer.h"
#include "recorder/sources/collection_details.h"

namespace hindsight::recorder {

void CollectionPackets::Consume(const EventHeader& header, PacketWriter& packets) {
  switch (header.kind) {
    case EventKind::kCollectionDetail: {
      const auto& event = reinterpret_cast<const CollectionDetailEvent&>(header);
      OnDetail(event.id, {reinterpret_cast<const uint8_t*>(&event + 1), event.bytes});
      WriteComplete(packets);
      break;
    }
    case EventKind::kCollection: {
      const auto& event = reinterpret_cast<const CollectionEvent&>(header);
      if (event.runtime_number == 0 || pending_.size() == kMaxPending) {
        Write(event, nullptr, packets);
        break;
      }
      pending_.push_back({event});
      WriteComplete(packets);
      break;
    }
    case EventKind::kSuspension: {
      const auto& event = reinterpret_cast<const SuspensionEvent&>(header);
      packets.Write(PacketField::kSuspension, header.time_ns, [&](ProtoWriter& suspension) {
        suspension.Uint(1, event.reason);
        suspension.Uint(2, event.stopping_ns);
        suspension.Uint(3, event.total_ns);
        if (event.by_recorder) suspension.Bool(4, true);
      });
      break;
    }
    default:
      break;
  }
}

void CollectionPackets::OnDetail(uint32_t id, std::span<const uint8_t> payload) {
  if (id == CollectionDetails::kStart) {
    CollectionFacts facts;
    if (!facts.ReadStart(payload)) return;
    if (facts_.size() == kMaxFacts) facts_.pop_front();
    facts_.push_back(facts);
    return;
  }
  if (id == CollectionDetails::kEnd) {
    last_ended_ = EndedCollection(payload);
    if (CollectionFacts* ended = Find(last_ended_)) ended->ended = true;
    return;
  }
  if (id == CollectionDetails::kHeapStats) {
    if (CollectionFacts* ended = Find(last_ended_)) {
      ended->ReadHeapStats(payload);
      heap_bytes_ = ended->heap_bytes;
    }
    return;
  }
  CollectionFacts* const running = Innermost();
  if (running == nullptr) return;
  if (id == CollectionDetails::kPerHeapHistory) running->ReadPerHeapHistory(payload);
  if (id == CollectionDetails::kGlobalHeapHistory) running->ReadGlobalHeapHistory(payload);
  if (id == CollectionDetails::kDynamic) running->ReadDynamic(payload);
}

CollectionFacts* CollectionPackets::Find(uint32_t runtime_number) {
  if (runtime_number == 0) return nullptr;
  const auto found =
      std::find_if(facts_.rbegin(), facts_.rend(),
                   [&](const CollectionFacts& facts) { return facts.number == runtime_number; });
  return found != facts_.rend() ? &*found : nullptr;
}

CollectionFacts* CollectionPackets::Innermost() {
  const auto found = std::find_if(facts_.rbegin(), facts_.rend(),
                                  [](const CollectionFacts& facts) { return !facts.ended; });
  return found != facts_.rend() ? &*found : nullptr;
}

void CollectionPackets::WriteComplete(PacketWriter& packets) {
  std::erase_if(pending_, [&](const Pending& pending) {
    const CollectionFacts* facts = Find(pending.event.runtime_number);
    if (facts == nullptr || !facts->has_stats) return false;
    Write(pending.event, facts, packets);
    return true;
  });
}

void CollectionPackets::Flush(PacketWriter& packets) {
  std::erase_if(pending_, [&](Pending& pending) {
    if (++pending.flushes < kMaxFlushes) return false;
    Write(pending.event, Find(pending.event.runtime_number), packets);
    return true;
  });
}

void CollectionPackets::Finish(PacketWriter& packets) {
  for (const Pending& pending : pending_) {
    Write(pending.event, Find(pending.event.runtime_number), packets);
  }
  pending_.clear();
}

void CollectionPackets::Write(const CollectionEvent& event, const CollectionFacts* facts,
                              PacketWriter& packets) {
  packets.Write(PacketField::kGarbageCollection, event.header.time_ns, [&](ProtoWriter& out) {
    out.Uint(1, event.number);
    if (event.generation != 0) out.Uint(2, event.generation);
    // .NET 8 does not report it as induced if it was to compact, or to run in the background.
    if (event.induced || (facts != nullptr && facts->induced())) out.Bool(3, true);
    out.Uint(4, event.duration_ns);
    if (event.by_recorder) out.Bool(17, true);
    if (facts == nullptr) return;
    out.Uint(5, facts->number);
    out.Uint(6, facts->reason + 1);
    out.Uint(7, facts->type + 1);
    for (uint32_t i = 0; i < kHeapGenerations && facts->histories != 0; ++i) {
      const GenerationFacts& generation = facts->generations[i];
      ProtoWriter sizes(out, 8);
      if (i != 0) sizes.Uint(1, i);
      sizes.Uint(2, generation.before);
      sizes.Uint(3, generation.after);
      sizes.Uint(4, generation.promoted);
      sizes.Uint(5, generation.free_before);
      sizes.Uint(6, generation.free_after);
    }
    if (facts->has_stats) {
      out.Uint(9, facts->promoted_bytes);
      out.Uint(10, facts->pinned_objects);
      out.Uint(11, facts->finalizable_promoted);
      out.Uint(12, facts->handles);
    }
    if (facts->committed_bytes != 0) out.Uint(13, facts->committed_bytes);
    out.Uint(14, facts->heaps);
    if (facts->compacting) out.Bool(15, true);
    out.Uint(16, facts->memory_load_percent);
  });
}

}  // namespace hindsight::recorder
