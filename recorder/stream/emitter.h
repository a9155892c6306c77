// The way from a callback into a ring.
//
// Never waits and never allocates (but a thread's first event maps its ring). What finds no room is
// counted and dropped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "recorder/base/clock.h"
#include "recorder/base/memory.h"
#include "recorder/stream/callback_cost.h"
#include "recorder/stream/thread_track.h"
#include "recorder/stream/waker.h"

namespace hindsight::recorder {

class Emitter {
 public:
  Emitter(uint64_t recording, MemoryBudget& budget, Waker& drain)
      : recording_(recording), budget_(budget), drain_(drain) {}

  uint64_t recording() const { return recording_; }

  // The calling thread's track, or null: then the event is lost and counted.
  ThreadTrack* Track() { return ThreadTracks::Instance().Current(recording_, budget_); }

  // An event of `bytes` in all, its header filled; null when the ring is full (counted).
  void* Reserve(ThreadTrack& track, EventKind kind, uint64_t time_ns, size_t bytes) {
    void* memory = track.ring.Reserve(AlignEvent(bytes));
    if (memory == nullptr) {
      track.dropped.Add(1);
      drain_.Wake();
      return nullptr;
    }
    auto* header = static_cast<EventHeader*>(memory);
    header->units = static_cast<uint16_t>(AlignEvent(bytes) / 8);
    header->kind = kind;
    header->thread = track.os_id.load(std::memory_order_relaxed);
    header->time_ns = time_ns;
    return memory;
  }

  void Commit(ThreadTrack& track) {
    track.ring.Commit();
    track.events.Add(1);
    if (track.ring.UsedByProducer() > track.ring.capacity() / 4) drain_.Wake();
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
  const uint64_t recording_;
  MemoryBudget& budget_;
  Waker& drain_;
};

}  // namespace hindsight::recorder
