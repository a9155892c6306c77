#include "recorder/sources/gc/collection_packets.h"

#include <algorithm>

#include "recorder/encode/packet_writer.h"
#include "recorder/sources/events/payload.h"
#include "recorder/sources/packet_stack.h"

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
      packets.Write(wire::Packet::kSuspension, header.time_ns, [&](auto& suspension) {
        suspension.Set(suspension.kReason, event.reason);
        suspension.Set(suspension.kStoppingNs, event.stopping_ns);
        suspension.Set(suspension.kTotalNs, event.total_ns);
        if (event.by_recorder) suspension.Set(suspension.kByRecorder, true);
      });
      break;
    }
    case EventKind::kCollectCalled:
      OnCalled(reinterpret_cast<const CollectCalledEvent&>(header), packets);
      break;
    default:
      break;
  }
}

void CollectionPackets::OnCalled(const CollectCalledEvent& event, PacketWriter& packets) {
  const uint32_t thread = threads_.IdAt(event.header.thread, event.header.time_ns, packets);
  const uint32_t stack = StackOf(event, dictionaries_);
  packets.Write(wire::Packet::kCollectCall, event.header.time_ns, [&](auto& call) {
    call.Set(call.kThread, thread);
    if (stack != 0) call.Set(call.kStack, stack);
    call.Set(call.kReason, event.reason + 1);
  });
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
    if (++pending.flushes < kMaxFlushes && !is_last_) return false;
    Write(pending.event, Find(pending.event.runtime_number), packets);
    return true;
  });
}

void CollectionPackets::Write(const CollectionEvent& event, const CollectionFacts* facts,
                              PacketWriter& packets) {
  packets.Write(wire::Packet::kGarbageCollection, event.header.time_ns, [&](auto& out) {
    out.Set(out.kNumber, event.number);
    if (event.generation != 0) out.Set(out.kGeneration, event.generation);
    // .NET 8 does not report it as induced if it was to compact, or to run in the background.
    if (event.induced || (facts != nullptr && facts->induced())) out.Set(out.kInduced, true);
    out.Set(out.kDurationNs, event.duration_ns);
    if (event.by_recorder) out.Set(out.kByRecorder, true);
    if (facts == nullptr) return;
    out.Set(out.kRuntimeNumber, facts->number);
    out.Set(out.kReason, facts->reason + 1);
    out.Set(out.kType, EnumFrom<wire::GarbageCollection::Type>(facts->type + 1));
    for (uint32_t i = 0; i < kHeapGenerations && facts->histories != 0; ++i) {
      const GenerationFacts& generation = facts->generations[i];
      ProtoWriter sizes(out, out.kSizes);
      if (i != 0) sizes.Set(sizes.kGeneration, i);
      sizes.Set(sizes.kBeforeBytes, generation.before);
      sizes.Set(sizes.kAfterBytes, generation.after);
      sizes.Set(sizes.kPromotedBytes, generation.promoted);
      sizes.Set(sizes.kFreeBeforeBytes, generation.free_before);
      sizes.Set(sizes.kFreeAfterBytes, generation.free_after);
    }
    if (facts->has_stats) {
      out.Set(out.kPromotedBytes, facts->promoted_bytes);
      out.Set(out.kPinnedObjects, facts->pinned_objects);
      out.Set(out.kFinalizablePromoted, facts->finalizable_promoted);
      out.Set(out.kHandles, facts->handles);
    }
    if (facts->committed_bytes != 0) out.Set(out.kCommittedBytes, facts->committed_bytes);
    out.Set(out.kHeaps, facts->heaps);
    if (facts->compacting) out.Set(out.kCompacting, true);
    out.Set(out.kMemoryLoadPercent, facts->memory_load_percent);
  });
}

}  // namespace hindsight::recorder
