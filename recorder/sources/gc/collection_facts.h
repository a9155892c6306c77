// Parses the runtime's events about one collection. Input may be any bytes; what does not match is
// ignored. Payloads: dotnet/runtime, src/coreclr/vm/ClrEtwAll.man; meaning: src/coreclr/gc/gc.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hindsight::recorder {

inline constexpr size_t kHeapGenerations = 5;  // 0, 1, 2, large, pinned

// One generation, summed over all heaps, in bytes. `before` and `after` include free space.
struct GenerationFacts {
  uint64_t before = 0, after = 0, promoted = 0, free_before = 0, free_after = 0;
};

// Whether GCReason `reason` is GC.Collect, of any kind.
bool IsInduced(uint32_t reason);

struct CollectionFacts {
  uint32_t number = 0;  // the runtime's; 0: its start was not seen
  uint32_t generation = 0;
  uint32_t reason = 0;  // GCReason
  uint32_t type = 0;    // 0 blocking, 1 background, 2 blocking during a background one
  bool ended = false;
  bool has_stats = false;
  std::array<GenerationFacts, kHeapGenerations> generations = {};
  uint32_t histories = 0;  // heaps whose history has been received
  uint64_t promoted_bytes = 0, pinned_objects = 0, finalizable_promoted = 0, handles = 0;
  uint64_t committed_bytes = 0;
  uint64_t heap_bytes = 0;  // of all generations, after it
  uint32_t heaps = 0;
  bool compacting = false;
  uint32_t memory_load_percent = 0;

  bool induced() const { return IsInduced(reason); }

  // The start event; everything else comes in the other events.
  bool ReadStart(std::span<const uint8_t> payload);
  void ReadHeapStats(std::span<const uint8_t> payload);
  void ReadPerHeapHistory(std::span<const uint8_t> payload);
  void ReadGlobalHeapHistory(std::span<const uint8_t> payload);
  // An event whose kind is identified only by its name.
  void ReadDynamic(std::span<const uint8_t> payload);
};

// GCEnd: the number of the collection that has ended.
uint32_t EndedCollection(std::span<const uint8_t> payload);

}  // namespace hindsight::recorder
