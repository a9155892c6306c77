// What the recorder keeps for each thread of the application: its ring, counters and scratch space.
//
// A track belongs to an operating-system thread from its first event until that thread exits; then
// it serves another one, which continues in the same ring (events name their thread). The ring is
// mapped at the first event of a recording and unmapped when that recording is over. Tracks are
// never freed, because a thread may exit at any time; there are at most kMaxTracks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "proto/recording_fields.h"
#include "recorder/base/memory.h"
#include "recorder/base/thread_run.h"
#include "recorder/stream/callback_cost.h"
#include "recorder/stream/event.h"
#include "recorder/stream/own_counter.h"
#include "recorder/stream/request_tally.h"
#include "recorder/stream/ring.h"
#include "recorder/stream/tally.h"

namespace hindsight::recorder {

inline constexpr size_t kMaxTracks = 8192;

// An exception between its throw and its end, on the thread that threw it. See
// sources/exceptions/exceptions.h. A frame is identified by its depth: the number of managed frames
// from the thread's root up to it.
struct InFlight {
  uint64_t ordinal;  // of the throw on this track, in this recording; 0: it was only counted
  uint64_t thrown_ns;
  uintptr_t throw_sp;        // stack pointer of the throwing frame
  uintptr_t catcher;         // FunctionID of the handler's method, once the runtime has found it
  uint32_t depth;            // of the throwing frame
  uint32_t searched;         // frames that the search for a handler has entered
  uint32_t unwound;          // frames that unwinding has entered
  uint32_t catch_depth;      // of the frame that handles it
  uint32_t finally_depth;    // of the frame whose finally block runs; 0: none, or not known
  uintptr_t finally_method;  // FunctionID of the running finally block, if events report it; or 0
  uint32_t finally_count;
  uint32_t filter_count;
  Tally::RowId row;           // where it was counted, if it was only counted
  uint64_t words;             // ordinal of its LastWords, if it was only counted; 0: none
  uintptr_t record;           // the runtime's own, if events report exceptions
                              // (sources/exceptions/exception_dispatches.h); or 0
  uintptr_t notified_record;  // the same, if a notification reported it; or 0
  uint32_t stack;             // handle; 0: not in the table
  bool in_filter;
  bool urgent;  // its event asked to be written at once

  bool in_finally() const { return finally_depth != 0 || finally_method != 0; }
};
inline constexpr size_t kMaxInFlight = 16;

// The details of a thread's latest throw that was only counted. If it turns out to be unhandled, it
// ends the process, and is then recorded with these details. The thread keeps them, offers them
// when the search for a handler has found none, and withdraws them if there is a handler after all.
// The drain thread takes details that have been offered for some time: from then on, the throw is
// recorded in detail and no longer included in the counts.
struct LastWords {
  enum State : uint32_t {
    kKept,      // belongs to the own thread; or is empty, with ordinal 0
    kOffered,   // either thread may take it, by exchange
    kTaken,     // belongs to the drain thread
    kReported,  // belongs to the own thread again when the throw has ended
  };
  std::atomic<uint32_t> state{kKept};
  std::atomic<uint64_t> offered_ns{0};
  // If the details are offered at the throw, because nothing reports when the search for a handler
  // ends: the CPU time of the thread at that moment. 0: they are not offered at the throw.
  std::atomic<uint64_t> silent_cpu_ns{0};
  uint64_t ordinal = 0;  // of the throw
  // Where the throw is counted. Written before the counts and read after them, so that the drain
  // thread can subtract it.
  std::atomic<uint32_t> counted{0};  // row << 1 | continued
  Tally::RowId row() const {
    return static_cast<Tally::RowId>(counted.load(std::memory_order_relaxed) >> 1);
  }
  bool continued() const { return counted.load(std::memory_order_relaxed) % 2 != 0; }
  // Drain thread: what must not be included in the counts yet.
  Tally::HeldBack HoldBack() const {
    if (state.load(std::memory_order_relaxed) > kOffered) return {};
    return {row(), continued()};
  }
  static constexpr size_t kBytes = 3072;
  alignas(8) std::byte event[kBytes];  // ExceptionThrownEvent and its tail

  void Reset() {
    state.store(kKept, std::memory_order_relaxed);
    counted.store(0, std::memory_order_relaxed);
    ordinal = 0;
  }
};

// A running handler: between CatcherEnter and CatcherLeave, or until an exception leaves it.
struct ActiveHandler {
  uint64_t ordinal;  // of the throw that it caught
  uint32_t depth;    // of the frame that owns it; 0: not known
  uintptr_t record;  // as in InFlight
};
inline constexpr size_t kMaxHandlers = 16;

// A thread's exceptions, for the drain thread, which looks for handlers that rethrow. Written by
// the own thread; for records see InFlight.
struct ExceptionState {
  std::atomic<uintptr_t> thread{0};          // ThreadID
  std::atomic<uintptr_t> in_flight{0};       // record of the innermost one reported; 0: none
  std::atomic<uintptr_t> handler{0};         // record of what the innermost handler caught; 0: none
  std::atomic<uint64_t> handler_ordinal{0};  // of that throw; 0: it was only counted
  std::atomic<uint64_t> handler_since_ns{0};
  // Written by the drain thread: the record that it took for that of a rethrow which nobody
  // handles.
  std::atomic<uintptr_t> mistrusted{0};

  // Drain thread: the record that was found in front of the handler's, and since when.
  uintptr_t found = 0;
  uint64_t found_ns = 0;
  RunSince look;

  void Reset() {
    in_flight.store(0, std::memory_order_relaxed);
    handler.store(0, std::memory_order_relaxed);
    mistrusted.store(0, std::memory_order_relaxed);
  }
};

// A wait that has started. See sources/locks/locks.h.
struct WaitInFlight {
  uint64_t ordinal;  // on this track, in this recording; 0: it was only counted
  uint64_t began_ns;
  uint32_t depth;    // managed frames when it started
  Tally::RowId row;  // where it was counted, if it was only counted
  wire::LockWait::Kind kind;
  bool waits_on_handle;  // a Lock waiting on its own handle: two waits to the runtime
};
// Waits inside each other, as happens when tasks run inside waits for tasks. Only the outer ones
// are recorded in detail.
inline constexpr size_t kMaxWaitsInDetail = 8;
inline constexpr size_t kMaxWaitsInFlight = 32;

struct ThreadTrack {
  Ring ring;
  std::atomic<uint64_t> recording{0};  // to which the fields below belong; 0: none
  std::atomic<bool> exited{false};     // its thread has ended: another one may claim it
  std::atomic<uint32_t> os_id{0};      // of its thread, or of the previous one

  // Written by the own thread, read by the drain thread. They count from the start of the
  // recording.
  OwnCounter events, dropped;
  CallbackMeter meter;
  OwnCounter stacks_fast, stacks_exact, stacks_verified, stacks_mismatched, stacks_lost;
  RequestTally requests;

  // Set by the drain thread: the last event of a dying thread is on disk.
  std::atomic<bool> last_event_is_written{false};

  // Own thread only.
  size_t mapped_bytes = 0;  // ring and first scratch
  uintptr_t stack_low = 0;  // its stack: the lowest address that it may grow to, and its upper end
  uintptr_t stack_high = 0;
  uintptr_t root_sp = 0;        // stack pointer of its outermost managed frame, when last queried
  uintptr_t* frames = nullptr;  // scratch
  size_t frame_capacity = 0;    // addresses that fit; GrowFrames raises it to kMaxStackDepth
  MemoryBudget* budget = nullptr;
  uint64_t throws = 0;
  uint64_t grown_ns = 0;    // when its ring last grew
  uint64_t hurried_ns = 0;  // when it last woke the drain thread on suspicion
  uint32_t in_flight_count = 0;
  InFlight in_flight[kMaxInFlight];
  // The exception thrown last; null: none is in flight.
  InFlight* innermost() { return in_flight_count > 0 ? in_flight + in_flight_count - 1 : nullptr; }
  const InFlight* innermost() const {
    return in_flight_count > 0 ? in_flight + in_flight_count - 1 : nullptr;
  }
  uint32_t handler_count = 0;
  ActiveHandler handlers[kMaxHandlers];
  ExceptionState exceptions;
  uint64_t waits = 0;
  uint32_t wait_count = 0;
  WaitInFlight waits_in_flight[kMaxWaitsInFlight];
  uint32_t deeper_waits = 0;  // inside all of these

  // Own thread only: the method that the JIT last compiled on it (FunctionID), and its address.
  uintptr_t compiled_method = 0;
  uintptr_t compiled_start = 0;

  // Drain thread only: losses already in the recording.
  uint64_t reported_dropped = 0;
  uint64_t reported_stacks_lost = 0;
  RequestCounts read_requests;  // as they were last read

  // The scratch space of a thread if there is no memory for its ring.
  static constexpr size_t kOwnFrames = 64;
  uintptr_t own_frames[kOwnFrames];
  Tally tally;  // last, because most of its memory is only touched when needed
  LastWords last_words;

  // Own thread, when a stack does not fit into the scratch space: moves the content to a larger
  // one. False: it is already at its maximum, or there is no memory.
  bool GrowFrames();
};

// Threads whose start or end found no room for an event: counted instead.
struct ThreadTally {
  uint64_t started = 0, ended = 0;
};

// The tracks of the process.
class ThreadTracks {
 public:
  static ThreadTracks& Instance();

  // Early, while allocation is allowed and few keys are in use. False: the process has no
  // thread-specific key left, so tracks of ended threads are not reused.
  static bool Open();

  // The calling thread's track for `recording` (not 0), or null when all tracks are in use; the
  // event is then counted as untracked. Without memory the track has no ring until it can get one;
  // events are counted until then. Not for signal handlers: a thread's first call queries libc for
  // the bounds of its stack, which allocates; later calls do not.
  ThreadTrack* Current(uint64_t recording, MemoryBudget& budget);

  // The track's thread is ending: another one may claim it.
  void End(ThreadTrack& track) {
    ended_.fetch_add(1, std::memory_order_relaxed);
    track.exited.store(true, std::memory_order_release);
  }

  // Drain thread: every track of `recording`.
  template <typename F>
  void ForEach(uint64_t recording, F f) {
    const size_t count = count_.load(std::memory_order_acquire);
    for (size_t i = 0; i < count; ++i) {
      ThreadTrack* track = tracks_[i].load(std::memory_order_acquire);
      if (track != nullptr && track->recording.load(std::memory_order_acquire) == recording) {
        f(*track);
      }
    }
  }

  // Of all tracks, used or not: not part of any budget, because counts are exact only with a track.
  uint64_t memory_bytes() const;

  // Unmaps the rings of `recording`. Call it when no callback can run any more.
  void Release(uint64_t recording, MemoryBudget& budget);

  // Any thread.
  void CountStart() { counted_starts_.fetch_add(1, std::memory_order_relaxed); }
  void CountEnd() { counted_ends_.fetch_add(1, std::memory_order_relaxed); }
  // Since the last call.
  ThreadTally TakeCounted() {
    return {counted_starts_.exchange(0, std::memory_order_relaxed),
            counted_ends_.exchange(0, std::memory_order_relaxed)};
  }
  bool HasCounted() const {
    return counted_starts_.load(std::memory_order_relaxed) != 0 ||
           counted_ends_.load(std::memory_order_relaxed) != 0;
  }

  // Events that found no track since the last call.
  uint64_t TakeUntracked() { return untracked_.exchange(0, std::memory_order_relaxed); }

 private:
  ThreadTrack* Claim();
  // One whose thread has ended, or null.
  ThreadTrack* ClaimEnded(size_t count);

  std::atomic<size_t> count_{0};
  std::atomic<size_t> ended_{0};           // tracks to claim; at least as many as `exited` says
  std::atomic<uint64_t> next_look_ns_{0};  // when to look for one again, while all are in use
  std::atomic<ThreadTrack*> tracks_[kMaxTracks] = {};
  std::atomic<uint64_t> untracked_{0};
  std::atomic<uint64_t> counted_starts_{0}, counted_ends_{0};
};

}  // namespace hindsight::recorder
