#include "recorder/sources/gc/collection_facts.h"

#include <string_view>

#include "recorder/sources/events/payload.h"

namespace hindsight::recorder {

bool CollectionFacts::ReadStart(std::span<const uint8_t> payload) {
  // GCStart_V2: count, depth, reason, type (32 bits each), ...
  if (payload.size() < 16) return false;
  number = ReadPayload<uint32_t>(payload, 0);
  generation = ReadPayload<uint32_t>(payload, 4);
  reason = ReadPayload<uint32_t>(payload, 8);
  type = ReadPayload<uint32_t>(payload, 12);
  return number != 0;
}

bool IsInduced(uint32_t reason) {
  // dotnet/runtime, src/coreclr/gc/gcinterface.h, gc_reason.
  constexpr uint32_t kInduced = 1, kInducedNoForce = 7, kInducedCompacting = 10,
                     kInducedAggressive = 17;
  return reason == kInduced || reason == kInducedNoForce || reason == kInducedCompacting ||
         reason == kInducedAggressive;
}

uint32_t EndedCollection(std::span<const uint8_t> payload) {
  return ReadPayload<uint32_t>(payload, 0);  // GCEnd_V1: count, depth, ...
}

void CollectionFacts::ReadHeapStats(std::span<const uint8_t> payload) {
  // GCHeapStats_V2: size after and promoted bytes of generations 0 to 3; bytes and number of
  // finalization survivors; pinned objects, sync blocks, handles (32 bits each); instance (16
  // bits); the same two sizes of generation 4.
  constexpr size_t kFinalizable = 64, kPinned = 80, kHandles = 88, kGeneration4 = 94;
  if (payload.size() < kGeneration4) return;
  has_stats = true;
  promoted_bytes = heap_bytes = 0;
  for (size_t i = 0; i < kHeapGenerations; ++i) {
    const size_t at = i < 4 ? i * 16 : kGeneration4;
    generations[i].promoted = ReadPayload<uint64_t>(payload, at + 8);
    promoted_bytes += generations[i].promoted;
    heap_bytes += ReadPayload<uint64_t>(payload, at);
  }
  finalizable_promoted = ReadPayload<uint64_t>(payload, kFinalizable + 8);
  pinned_objects = ReadPayload<uint32_t>(payload, kPinned);
  handles = ReadPayload<uint32_t>(payload, kHandles);
}

void CollectionFacts::ReadPerHeapHistory(std::span<const uint8_t> payload) {
  // GCPerHeapHistory_V3: instance (16 bits), 6 words, 6 times 32 bits, a word, the number of
  // generations (32 bits), and for each ten words: size, free list, free objects before; the same
  // after; allocated, pinned survivors, other survivors, next budget.
  constexpr size_t kCount = 2 + 6 * 8 + 6 * 4 + 8, kFirst = kCount + 4, kWords = 10;
  if (payload.size() < kFirst) return;
  const auto count = ReadPayload<uint32_t>(payload, kCount);
  for (size_t i = 0; i < kHeapGenerations && i < count; ++i) {
    const size_t at = kFirst + i * kWords * 8;
    if (at + kWords * 8 > payload.size()) return;
    const auto word = [&](size_t index) { return ReadPayload<uint64_t>(payload, at + index * 8); };
    GenerationFacts& facts = generations[i];
    facts.before += word(0);
    facts.free_before += word(1) + word(2);
    facts.after += word(3);
    facts.free_after += word(4) + word(5);
  }
  ++histories;
}

void CollectionFacts::ReadGlobalHeapHistory(std::span<const uint8_t> payload) {
  // GCGlobalHeapHistory_V3: desired size (64 bits), heaps, generation, reductions, reason,
  // mechanisms (32 bits each), instance (16 bits), pause mode, memory load (32 bits each), ...
  constexpr size_t kHeaps = 8, kMechanisms = 24, kLoad = 34;
  constexpr uint32_t kCompaction = 0x2;
  if (payload.size() < kLoad + 4) return;
  heaps = ReadPayload<uint32_t>(payload, kHeaps);
  compacting = (ReadPayload<uint32_t>(payload, kMechanisms) & kCompaction) != 0;
  memory_load_percent = ReadPayload<uint32_t>(payload, kLoad);
}

void CollectionFacts::ReadDynamic(std::span<const uint8_t> payload) {
  // GCDynamicEvent: name, size of the data (32 bits), data. CommittedUsage: version (16 bits);
  // bytes in use, to be decommitted, free on heaps, free globally, of the collector's own tables.
  constexpr std::u16string_view kName = u"CommittedUsage";
  const size_t data = (kName.size() + 1) * sizeof(char16_t) + 4;
  // There is also one at the start, and it is the only one of a background collection.
  if (histories == 0 || payload.size() < data + 2 + 5 * 8) return;
  for (size_t i = 0; i <= kName.size(); ++i) {
    const char16_t expected = i < kName.size() ? kName[i] : u'\0';
    if (ReadPayload<char16_t>(payload, i * sizeof(char16_t)) != expected) return;
  }
  committed_bytes = 0;
  // Without the tables, like GCMemoryInfo.TotalCommittedBytes.
  for (size_t i = 0; i < 4; ++i) {
    committed_bytes += ReadPayload<uint64_t>(payload, data + 2 + i * 8);
  }
}

}  // namespace hindsight::recorder
