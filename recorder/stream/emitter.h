// The path from a callback to a ring.
//
// Never waits, and allocates only memory from the budget: a thread's first event maps its ring, and
// a full ring grows while there is memory. An event that still finds no room is dropped and counted
// (Reserve), or counted by its caller (TryReserve).
//
// An event that was recorded will have its end recorded: a ring always reserves room for the ends
// of everything in it. Single throws and waits, which may come in any number, leave an eighth of
// the ring to all other events.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "recorder/base/clock.h"
#include "recorder/base/forked_copy.h"
#include "recorder/base/memory.h"
#include "recorder/stream/callback_cost.h"
#include "recorder/stream/thread_track.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

// How much of a ring an event may use.
enum class Claim { kDetail, kOther, kEnd };

class Emitter {
 public:
  // An event that ends something is at most this large.
  static constexpr size_t kMaxEndBytes = 64;

  Emitter(uint64_t recording, MemoryBudget& budget, Waker& drain)
      : recording_(recording), budget_(budget), drain_(drain) {}

  uint64_t recording() const { return recording_; }

  // The calling thread's track, or null: the event is then lost and counted. Also null in a forked
  // copy of the process, where nothing would empty its ring.
  ThreadTrack* Track() {
    return ForkedCopy::Is() ? nullptr : ThreadTracks::Instance().Current(recording_, budget_);
  }

  // Room for an event of `bytes` in total, with its header filled; null if there is none.
  void* TryReserve(ThreadTrack& track, EventKind kind, uint64_t time_ns, size_t bytes,
                   Claim claim) {
    const size_t size = AlignEvent(bytes);
    if (track.ring.has_grown() && time_ns - track.grown_ns > kGrownNs) track.ring.Shrink();
    void* memory = track.ring.Reserve(size, KeepFor(track, claim));
    if (memory == nullptr && Grow(track, size, time_ns)) {
      memory = track.ring.Reserve(size, KeepFor(track, claim));
    }
    if (memory == nullptr) {
      drain_.Wake();
      return nullptr;
    }
    auto* header = static_cast<EventHeader*>(memory);
    header->units = static_cast<uint16_t>(size / 8);
    header->kind = kind;
    header->thread = track.os_id.load(std::memory_order_relaxed);
    header->time_ns = time_ns;
    return memory;
  }

  // The same, but without room the event is counted as dropped.
  void* Reserve(ThreadTrack& track, EventKind kind, uint64_t time_ns, size_t bytes,
                Claim claim = Claim::kOther) {
    void* memory = TryReserve(track, kind, time_ns, bytes, claim);
    if (memory == nullptr) track.dropped.Add(1);
    return memory;
  }

  void Commit(ThreadTrack& track) {
    track.ring.Commit();
    track.events.Add(1);
    if (track.ring.UsedByProducer() > track.ring.capacity() / 4) drain_.Wake();
  }

  // Events that can be recorded in detail or only be counted: one in this many should be recorded.
  // 1 as long as the ring has room or can grow. So details are spread over the time of a burst.
  uint64_t DetailStride(ThreadTrack& track) const {
    const size_t used = track.ring.UsedByProducer(), capacity = track.ring.capacity();
    if (used < capacity / 2 || MayGrow(kLeastGrowthBytes)) return 1;
    if (used < capacity / 8 * 5) return 4;
    return used < capacity / 4 * 3 ? 16 : 64;
  }

  // The row of the calling thread that counts `key`.
  Tally::RowId CountIn(ThreadTrack& track, const TallyKey& key) {
    return track.tally.Find(key, budget_);
  }

  // Writes a fixed-size event without a tail to the calling thread's ring.
  template <typename Event, typename Fill>
  void Emit(EventKind kind, uint64_t time_ns, Fill fill) {
    ThreadTrack* track = Track();
    if (track == nullptr) return;
    if (void* memory = Reserve(*track, kind, time_ns, sizeof(Event))) {
      fill(*static_cast<Event*>(memory));
      Commit(*track);
    }
  }

  // Wakes the drain thread for something that must not wait for its next turn.
  void Hurry() { drain_.Wake(); }

 private:
  static constexpr size_t kMostRingBytes = 4u << 20;
  static constexpr size_t kLeastGrowthBytes = 16u << 10;
  // A grown ring returns to its first block after this time at the earliest.
  static constexpr uint64_t kGrownNs = 1'000'000'000;

  // The last quarter of the budget is for other threads, and for tables of counts.
  bool MayGrow(size_t bytes) const { return budget_.EighthsUsed(bytes) < 6; }

  static size_t KeepFor(const ThreadTrack& track, Claim claim) {
    if (claim == Claim::kEnd) return 0;
    // One more for the current event, and one for padding.
    const size_t waits = std::min<size_t>(track.wait_count, kMaxWaitsInDetail);
    const size_t ends = track.in_flight_count + waits + 2;
    const size_t keep = ends * kMaxEndBytes;
    return claim == Claim::kDetail ? keep + track.ring.capacity() / 8 : keep;
  }

  bool Grow(ThreadTrack& track, size_t size, uint64_t now_ns) {
    const size_t needed = std::bit_ceil(size * 2);
    size_t capacity = std::clamp(track.ring.capacity() * 2, kLeastGrowthBytes, kMostRingBytes);
    const size_t least = std::max(needed, kLeastGrowthBytes);
    for (capacity = std::max(capacity, needed); capacity >= least; capacity /= 2) {
      if (!MayGrow(capacity) || !track.ring.Grow(budget_, capacity)) continue;
      track.grown_ns = now_ns;
      return true;
    }
    return false;
  }

  const uint64_t recording_;
  MemoryBudget& budget_;
  Waker& drain_;
};

}  // namespace hindsight::recorder
