// The way from a callback into a ring.
//
// Never waits, and never allocates but for memory of the budget: a thread's first event maps its
// ring, and a ring that is full grows while there is memory. What finds no room then is dropped and
// counted (Reserve), or its caller counts it by itself (TryReserve).
//
// What has begun will end: a ring always keeps room for the ends of what is told in it, so an end
// is never lost whose beginning is there. Single throws and waits, of which there may be any
// number, leave an eighth of the ring to all other events.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "recorder/base/clock.h"
#include "recorder/base/memory.h"
#include "recorder/stream/callback_cost.h"
#include "recorder/stream/thread_track.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

// How much of a ring an event may use.
enum class Claim { kDetail, kOther, kEnd };

class Emitter {
 public:
  // An event that ends something is not larger.
  static constexpr size_t kMaxEndBytes = 64;

  Emitter(uint64_t recording, MemoryBudget& budget, Waker& drain)
      : recording_(recording), budget_(budget), drain_(drain) {}

  uint64_t recording() const { return recording_; }

  // The calling thread's track, or null: then the event is lost and counted.
  ThreadTrack* Track() { return ThreadTracks::Instance().Current(recording_, budget_); }

  // An event of `bytes` in all, its header filled; null when there is no room.
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

  // The same; what finds no room is counted as dropped.
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

  // Of what can be told in detail or only be counted, one in so many should be told: 1 as long as
  // the ring has room or can grow. So what is told is spread over the time of a storm.
  uint64_t DetailStride(ThreadTrack& track) const {
    const size_t used = track.ring.UsedByProducer(), capacity = track.ring.capacity();
    if (used < capacity / 2 || MayGrow(kLeastGrowthBytes)) return 1;
    if (used < capacity / 8 * 5) return 4;
    return used < capacity / 4 * 3 ? 16 : 64;
  }

  // The row of the calling thread in which `key` is counted.
  Tally::RowId CountIn(ThreadTrack& track, const TallyKey& key) {
    return track.tally.Find(key, budget_);
  }

  // A fixed-size event without a tail, from wherever it happens.
  template <typename Event, typename Fill>
  void Emit(EventKind kind, uint64_t time_ns, Fill fill) {
    ThreadTrack* track = Track();
    if (track == nullptr) return;
    if (void* memory = Reserve(*track, kind, time_ns, sizeof(Event))) {
      fill(*static_cast<Event*>(memory));
      Commit(*track);
    }
  }

  // Have the drain thread look at once: something must not wait for its next turn.
  void Hurry() { drain_.Wake(); }

 private:
  static constexpr size_t kMostRingBytes = 4u << 20;
  static constexpr size_t kLeastGrowthBytes = 16u << 10;
  // A ring that has grown goes back to its first block after so long, at the earliest.
  static constexpr uint64_t kGrownNs = 1'000'000'000;

  // The last quarter of the budget is for other threads, and for tables of counts.
  bool MayGrow(size_t bytes) const { return budget_.EighthsUsed(bytes) < 6; }

  static size_t KeepFor(const ThreadTrack& track, Claim claim) {
    if (claim == Claim::kEnd) return 0;
    // One more for the event at hand, and one for padding.
    const size_t ends = track.in_flight_count + track.wait_count + 2;
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
