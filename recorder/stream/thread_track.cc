#include "recorder/stream/thread_track.h"

#include <cstring>
#include <new>

#include "proto/limits.h"
#include "recorder/base/clock.h"
#include "recorder/base/pages.h"
#include "recorder/base/stack_bounds.h"
#include "recorder/base/thread.h"
#include "recorder/stream/own_track.h"

namespace hindsight::recorder {
namespace {

// What a thread gets at its first event; the sum is a whole number of pages.
struct Room {
  size_t ring_bytes;
  size_t scratch_bytes;  // enough for most stacks; GrowFrames gets more for a deeper one

  size_t bytes() const { return ring_bytes + scratch_bytes; }
};

// The first threads get rings that hold about 40 ms of throwing at full speed, because the drain
// thread has to share the processors with them. Rings shrink as the budget fills up, so that later
// threads get one too: with the default limit, about 1,100 threads at the same time.
Room RoomFor(const MemoryBudget& budget) {
  const uint64_t eighths = budget.EighthsUsed();
  if (eighths < 3) return {512u << 10, 4u << 10};
  if (eighths < 4) return {64u << 10, 4u << 10};
  if (eighths < 5) return {8u << 10, 4u << 10};
  return {2u << 10, 2u << 10};
}
constexpr size_t kMostScratchBytes = kMaxStackDepth * sizeof(uintptr_t);
static_assert(kMostScratchBytes > 4u << 10);
constexpr size_t kTrackBytes = 12288;
static_assert(sizeof(ThreadTrack) <= kTrackBytes);

void FindStack(ThreadTrack& track) {
  const StackBounds stack = OwnStackBounds();
  track.stack_low = stack.low;
  track.stack_high = stack.high;
}

// For a thread that has ended without ending the process.
void WithdrawLastWords(ThreadTrack& track) {
  uint32_t offered = LastWords::kOffered;
  track.last_words.state.compare_exchange_strong(offered, LastWords::kKept,
                                                 std::memory_order_acquire);
}

void Prepare(ThreadTrack& track, uint64_t recording, MemoryBudget& budget) {
  const Room room = RoomFor(budget);
  if (auto* memory = static_cast<std::byte*>(budget.Map(room.bytes())); memory != nullptr) {
    track.ring.Reset(memory, room.ring_bytes);
    track.mapped_bytes = room.bytes();
    track.frames = reinterpret_cast<uintptr_t*>(memory + room.ring_bytes);
    track.frame_capacity = room.scratch_bytes / sizeof(uintptr_t);
  } else {
    track.ring.Reset(nullptr, 0);
    track.mapped_bytes = 0;
    track.frames = track.own_frames;
    track.frame_capacity = ThreadTrack::kOwnFrames;
  }
  track.budget = &budget;
  for (OwnCounter* counter :
       {&track.events, &track.dropped, &track.stacks_fast, &track.stacks_exact,
        &track.stacks_verified, &track.stacks_mismatched, &track.stacks_lost}) {
    counter->Reset();
  }
  track.meter.Reset();
  track.requests.Reset();
  track.read_requests = {};
  track.tally.Reset();
  track.last_words.Reset();
  track.throws = track.grown_ns = track.hurried_ns = track.waits = 0;
  track.in_flight_count = track.handler_count = track.wait_count = track.deeper_waits = 0;
  track.exceptions.Reset();
  track.root_sp = track.compiled_method = track.compiled_start = 0;
  track.reported_dropped = track.reported_stacks_lost = 0;
  track.recording.store(recording, std::memory_order_release);
}

}  // namespace

bool ThreadTrack::GrowFrames() {
  if (frame_capacity == kMaxStackDepth) return false;
  auto* larger = static_cast<uintptr_t*>(budget->Map(kMostScratchBytes));
  if (larger == nullptr) return false;
  std::memcpy(larger, frames, frame_capacity * sizeof(uintptr_t));
  frames = larger;
  frame_capacity = kMaxStackDepth;
  return true;
}

ThreadTracks& ThreadTracks::Instance() {
  // Never destroyed: threads exit after static destructors have run.
  alignas(ThreadTracks) static std::byte storage[sizeof(ThreadTracks)];
  static ThreadTracks* const tracks = new (storage) ThreadTracks;
  return *tracks;
}

bool ThreadTracks::Open() { return OpenOwnTracks(); }

// Reads all tracks, each in a page of its own: with thousands of threads, half a millisecond.
ThreadTrack* ThreadTracks::ClaimEnded(size_t count) {
  constexpr size_t kMostUnreported = 64;  // beyond that, counts are attributed to the next thread
  size_t unreported = 0;
  for (size_t i = 0; i < count; ++i) {
    ThreadTrack* track = tracks_[i].load(std::memory_order_acquire);
    bool exited = true;
    if (track == nullptr || !track->exited.load(std::memory_order_acquire)) continue;
    // Its counts belong to the thread that has ended; until they are recorded, another track is
    // used.
    if (!track->tally.IsReported() && unreported++ < kMostUnreported) continue;
    if (track->exited.compare_exchange_strong(exited, false, std::memory_order_acquire)) {
      ended_.fetch_sub(1, std::memory_order_relaxed);
      track->tally.Abandon();
      WithdrawLastWords(*track);
      track->ring.Shrink();
      return track;
    }
  }
  return nullptr;
}

ThreadTrack* ThreadTracks::Claim() {
  constexpr uint64_t kLookAgainNs = 10'000'000;
  const size_t count = count_.load(std::memory_order_acquire);
  const bool is_full = count >= kMaxTracks;
  if (ended_.load(std::memory_order_relaxed) != 0) {
    // A thread without a track comes here in every callback.
    const uint64_t now = is_full ? MonotonicNs() : 0;
    if (is_full && now < next_look_ns_.load(std::memory_order_relaxed)) return nullptr;
    if (ThreadTrack* const track = ClaimEnded(count)) return track;
    if (is_full) next_look_ns_.store(now + kLookAgainNs, std::memory_order_relaxed);
  }
  if (is_full) return nullptr;
  void* memory = MapPages(kTrackBytes);
  if (memory == nullptr) return nullptr;
  auto* track = new (memory) ThreadTrack;
  size_t place = count_.load(std::memory_order_relaxed);
  do {  // never above the maximum, not even briefly: others iterate over all of them
    if (place >= kMaxTracks) {
      UnmapPages(memory, kTrackBytes);
      return nullptr;
    }
  } while (!count_.compare_exchange_weak(place, place + 1, std::memory_order_acq_rel));
  tracks_[place].store(track, std::memory_order_release);
  return track;
}

uint64_t ThreadTracks::memory_bytes() const {
  return count_.load(std::memory_order_relaxed) * kTrackBytes;
}

ThreadTrack* ThreadTracks::Current(uint64_t recording, MemoryBudget& budget) {
  ThreadTrack* track = OwnTrack();
  if (track != nullptr && track->recording.load(std::memory_order_relaxed) == recording) {
    return track;
  }
  if (track == nullptr) {
    track = Claim();
    if (track == nullptr) {
      untracked_.fetch_add(1, std::memory_order_relaxed);
      return nullptr;
    }
    track->os_id.store(CurrentThreadId(), std::memory_order_relaxed);
    FindStack(*track);
    track->in_flight_count = track->handler_count = track->wait_count = 0;
    track->deeper_waits = 0;
    track->exceptions.Reset();
    track->root_sp = track->compiled_method = track->compiled_start = 0;
    SetOwnTrack(track);
  }
  if (track->recording.load(std::memory_order_relaxed) != recording) {
    Prepare(*track, recording, budget);
  }
  return track;
}

void ThreadTracks::Release(uint64_t recording, MemoryBudget& budget) {
  ForEach(recording, [&](ThreadTrack& track) {
    track.recording.store(0, std::memory_order_relaxed);
    if (track.frame_capacity == kMaxStackDepth) budget.Unmap(track.frames, kMostScratchBytes);
    track.tally.Release(budget);
    std::byte* const memory = track.ring.memory();
    track.ring.Reset(nullptr, 0);
    budget.Unmap(memory, track.mapped_bytes);
    track.frames = nullptr;
    track.frame_capacity = 0;
  });
}

}  // namespace hindsight::recorder
