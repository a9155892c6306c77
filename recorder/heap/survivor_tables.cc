#include "recorder/heap/survivor_tables.h"

#include <algorithm>
#include <span>
#include <vector>

namespace hindsight::recorder {
namespace {

constexpr uint32_t kSurvivorsInPacket = 1024;

// Ends the segment if it is full.
void Room(PacketWriter& packets) {
  if (packets.full()) packets.End(SegmentKind::kHeapTables);
  packets.Begin();
}

}  // namespace

void WriteSurvivors(SurvivorsImage& image, DictionaryWriter& dictionaries, PacketWriter& packets,
                    ThreadTables& threads) {
  if (!image.known) return;
  const std::span all(image.alive, image.count);
  std::sort(all.begin(), all.end(),
            [](const TrackedObject& a, const TrackedObject& b) { return a.address < b.address; });
  for (uint32_t first = 0; first < image.count || first == 0; first += kSurvivorsInPacket) {
    const auto part = all.subspan(first, std::min(kSurvivorsInPacket, image.count - first));
    std::vector<int64_t> deltas;
    std::vector<uint32_t> stacks, of_threads;
    std::vector<uint64_t> sizes, amounts, times;
    uint64_t before = 0;
    for (const TrackedObject& survivor : part) {
      Room(packets);
      deltas.push_back(static_cast<int64_t>(survivor.address - before));
      before = survivor.address;
      of_threads.push_back(threads.EntryOf(survivor.thread));
      stacks.push_back(
          survivor.stack != 0 ? dictionaries.StackAsOf(survivor.stack, survivor.allocated_ns) : 0);
      sizes.push_back(survivor.size);
      if (image.sampling == AllocationSampling::kTick) amounts.push_back(survivor.amount);
      times.push_back(survivor.allocated_ns);
    }
    Room(packets);
    packets.Write(wire::Packet::kHeapAllocations, kNoTime, [&](auto& entry) {
      entry.Set(entry.kSampling, image.sampling);
      if (image.sampling == AllocationSampling::kBytes) {
        entry.Set(entry.kMeanBytes, Allocations::kMeanBytes);
      }
      entry.Set(entry.kObjectDelta, deltas);
      entry.Set(entry.kStack, stacks);
      entry.Set(entry.kThread, of_threads);
      entry.Set(entry.kSize, sizes);
      entry.Set(entry.kAmount, amounts);
      entry.Set(entry.kAllocatedNs, times);
      entry.Set(entry.kStride, image.stride);
      entry.Set(entry.kFollowedSinceNs, image.since_ns);
    });
  }
}

}  // namespace hindsight::recorder
