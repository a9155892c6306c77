// Source `exceptions`, on the application's threads: every throw with type, message, stack, and how
// it ended.
//
// The runtime reports an exception in two passes. The first searches a handler: ExceptionThrown,
// then SearchFunctionEnter for each managed frame outwards, filters on the way, SearchCatcherFound.
// The second unwinds: UnwindFunctionEnter for each frame, finally blocks, then CatcherEnter. So
// counting frames shows which one a handler or a finally block belongs to
// (GetNotifiedExceptionClauseInfo would, but not after an attach). Exceptions nest: filters and
// finally blocks may throw others while one is in flight. Each thread keeps a small stack of those
// in flight, and of the handlers that run.
//
// How an exception ends without a handler's entry being reported:
//   - replaced: an exception left a finally block that ran for it, and is caught further out;
//   - lost in a filter: thrown by a filter, dropped by the runtime when the filter ends;
//   - unhandled: the search has passed all managed frames. The process is about to die, so the
//   drain
//     thread is woken at once.
//
// On .NET 9 and later these notifications are not safe, and events of the runtime take their place
// (exception_events.h). They tell no frames: what is still in flight is read from the runtime's own
// records, and depths are looked up in the stack of the throw where they decide something. That an
// exception is unhandled shows by its thread running on without any sign of a handler.
//
// A throw that finds no room in its thread's ring is counted on the spot instead (stream/tally.h),
// by type and stack, and so is its end. Where the ring fills up, one throw in so many of each type
// and stack is still recorded in detail; and the one that ends the process always (LastWords).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "proto/recording_fields.h"
#include "recorder/contract/options.h"
#include "recorder/sources/exceptions/exception_dispatches.h"
#include "recorder/sources/exceptions/exception_layout.h"
#include "recorder/stack/stack_table.h"
#include "recorder/stack/stack_walker.h"
#include "recorder/stream/emitter.h"

namespace hindsight::recorder {

// Tail: `frames_inline` addresses, then `message_units` UTF-16 units.
struct ExceptionThrownEvent {
  EventHeader header;
  uint64_t ordinal;         // of the throw on this track
  uint64_t during_ordinal;  // of the one in flight whose filter or finally threw; 0: none
  uint64_t type;            // ClassID
  uint64_t object;          // address now
  uint64_t cause;           // address of the inner exception; 0: none
  uint64_t cause_type;      // ClassID
  uint32_t collections;     // GCs so far: addresses are comparable while this stays
  uint32_t stack;           // handle; 0: inline, or none
  uint32_t frames_inline;
  uint32_t message_units;
  uint32_t message_cut;  // UTF-16 units not kept
  bool has_trace;        // the object was thrown before, and its trace was kept
  bool silent;           // no kExceptionSearched will say that the search has come to nothing
  bool urgent;           // is to be on disk as soon as possible
  bool stack_truncated;
  uint64_t cpu_ns;           // if silent: of the thread by now
  uint64_t handler_ordinal;  // of the throw whose handler runs around this one; 0: none
};

// Whether an exception is unhandled shows only with time where events tell: the drain thread looks
// often for this long after such a throw.
inline constexpr uint64_t kSilentThrowsFlowNs = 2'000'000'000;
// A search for a handler takes microseconds, and the end of a process milliseconds. It counts as
// ended without one after this time, if its thread has run for so long or is asleep.
// Where that has proved too short, on a loaded machine or in code that is new, it is doubled, up to
// kMaxCaution times as long.
inline constexpr uint64_t kSilentGraceNs = 2'000'000;
inline constexpr uint64_t kSilentRunNs = 1'000'000;
inline constexpr uint64_t kMaxCaution = 4;
// A process may end within a millisecond of a throw that nobody handles: before that is certain, or
// before the drain thread gets a processor for a second look. So some of those that may be such are
// written at once, without an end: so many in a row, and later one in this time.
inline constexpr uint64_t kUrgentThrows = 16;
inline constexpr uint64_t kUrgentEveryNs = 500'000'000;

using ExceptionEnd = wire::Outcome::Kind;
// Its place among those of a tally, in which nothing is in flight.
constexpr size_t TallyEndOf(ExceptionEnd end) { return static_cast<size_t>(end) - 1; }
static_assert(TallyEndOf(ExceptionEnd::kCaughtNative) == kTallyEnds - 1);

struct ExceptionEndedEvent {
  EventHeader header;
  uint64_t ordinal;
  uint64_t catcher;     // FunctionID; 0: none
  uint64_t handler_ip;  // native address of the handler; 0: unknown
  ExceptionEnd end;
  uint32_t finally_count;
  uint32_t filter_count;
};

// kExceptionSearched: the search has come to the outermost managed frame; or it found a handler
// after that, or (of a silent throw) anywhere.
struct ExceptionSearchedEvent {
  EventHeader header;
  uint64_t ordinal;
  bool found;
  bool urgent;  // if not found: as of ExceptionThrownEvent
};

class Exceptions {
 public:
  Exceptions(clr::ICorProfilerInfo10* info, const contract::Options& options, Emitter& emitter,
             StackTable& stacks, StackWalker& walker, const std::atomic<uint32_t>& collections)
      : info_(info),
        options_(options),
        emitter_(emitter),
        stacks_(stacks),
        walker_(walker),
        collections_(collections),
        layout_(info) {}

  // Whether the runtime's events tell, and no longer its notifications. Any thread.
  bool by_events() const { return by_events_.load(std::memory_order_acquire); }
  void SwitchToEvents() { by_events_.store(true, std::memory_order_release); }

  // Callbacks, on the thread that throws. `is_fault`: the innermost frame is at the instruction
  // that faulted, surely. `dispatches`: where events tell.
  void Thrown(clr::ObjectID object, bool is_fault, uintptr_t frame_address,
              const Dispatches* dispatches = nullptr);
  void SearchFunctionEnter();
  void SearchFilterEnter();
  void SearchFilterLeave();
  void SearchCatcherFound(clr::FunctionID function);
  void UnwindFunctionEnter();
  void UnwindFinallyEnter();
  void UnwindFinallyLeave();
  void CatcherEnter(clr::FunctionID function);
  void CatcherLeave();
  // An exception is in flight that was thrown inside a handler, and no event has reported it.
  bool IsUntold(const Dispatches& dispatches);
  // The same in events, which name methods: FunctionIDs.
  void FinallyEnter(clr::FunctionID function);
  void CatcherEnter(clr::FunctionID function, uintptr_t handler_ip, const Dispatches& dispatches);

 private:
  void Pop(ThreadTrack& track, ExceptionEnd end, uint64_t now, clr::FunctionID catcher = 0,
           uintptr_t handler_ip = 0);
  void Searched(ThreadTrack& track, const InFlight& exception, bool found);
  void TellSearched(ThreadTrack& track, const InFlight& exception, bool found);
  void PopFinished(ThreadTrack& track, uintptr_t sp, uint64_t now);
  void PopUnseen(ThreadTrack& track, uint64_t now);
  // The handler of the innermost one begins.
  void Caught(ThreadTrack& track, uint64_t now, clr::FunctionID function, uintptr_t handler_ip);
  uint32_t DepthOfMethod(const InFlight& exception, clr::FunctionID method) const;
  // Tells the throw with its details, or counts it.
  void Tell(ThreadTrack& track, clr::ObjectID object, const WalkedStack& stack, uint64_t ordinal,
            InFlight& exception);
  // What is reported about a throw in detail.
  struct Details {
    clr::ObjectID object;
    clr::ClassID type;
    const WalkedStack& stack;
    uint32_t handle;  // of the stack; 0: it is reported inline
    uint64_t ordinal;
  };
  bool Emit(ThreadTrack& track, const Details& details, InFlight& exception);
  void Keep(ThreadTrack& track, const Details& details, bool continued, InFlight& exception);
  void Fill(const ThreadTrack& track, const Details& details, size_t frames_inline,
            std::span<const char16_t> message, size_t kept, ExceptionThrownEvent& event);
  std::span<const char16_t> MessageOf(const Details& details);
  void Offer(ThreadTrack& track, const InFlight& exception);
  void Hurry(ThreadTrack& track, uint64_t now);
  void WakeForFirst(uint64_t now);
  bool MayBeUrgent(uint64_t now);

  clr::ICorProfilerInfo10* info_;
  const contract::Options& options_;
  Emitter& emitter_;
  StackTable& stacks_;
  StackWalker& walker_;
  const std::atomic<uint32_t>& collections_;
  ExceptionLayout layout_;
  std::atomic<bool> by_events_{false};
  std::atomic<uint64_t> woken_ns_{0};  // when a silent throw last woke the drain thread
  std::atomic<uint64_t> urgent_used_ns_{0};
};

}  // namespace hindsight::recorder
