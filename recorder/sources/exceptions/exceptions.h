// Source `exceptions`, on the application's threads: every throw with type, message, stack, and how
// it ended.
//
// The runtime reports an exception in two passes. The first searches for a handler:
// ExceptionThrown, then SearchFunctionEnter for each managed frame outwards, filters on the way,
// SearchCatcherFound. The second unwinds: UnwindFunctionEnter for each frame, finally blocks, then
// CatcherEnter. So counting frames shows which one a handler or a finally block belongs to
// (GetNotifiedExceptionClauseInfo would, but not after an attach). Exceptions nest: filters and
// finally blocks may throw others while one is in flight. Each thread keeps a small stack of those
// in flight, and of the handlers that run.
//
// How an exception ends without a handler's entry being reported:
//   - replaced: an exception left a finally block that ran for it, and is caught further out;
//   - lost in a filter: thrown by a filter, dropped by the runtime when the filter ends;
//   - unhandled: the search has passed all managed frames. The process is about to end, so the
//     drain thread is woken at once.
//
// On .NET 9 and later these notifications are not safe, and events of the runtime take their place
// (exception_events.h). They do not report frames: what is still in flight is read from the
// runtime's own records, and depths are looked up in the stack of the throw where they are needed.
// An exception counts as unhandled if its thread continues to run without any sign of a handler.
//
// If there is no room in the thread's ring, a throw and its end are only counted, by type and stack
// (stream/tally.h). While the ring fills up, a part of the throws of each type and stack is still
// recorded in detail. The throw that ends the process always is (LastWords).
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
  bool silent;           // no kExceptionSearched will report that no handler was found
  bool urgent;           // to be written as soon as possible
  bool mistrusted;       // it was taken for a rethrow by the handler around it: its event came late
  bool stack_truncated;
  uint64_t cpu_ns;           // if silent: of the thread so far
  uint64_t handler_ordinal;  // of the throw whose handler runs around this one; 0: none
};

// If events report exceptions, it takes time to find that one is unhandled. The drain thread checks
// often for this long after a throw.
inline constexpr uint64_t kSilentThrowsFlowNs = 2'000'000'000;
// The search for a handler takes microseconds, and the end of a process milliseconds. The search
// counts as having found none after kSilentGraceNs, if its thread has used kSilentRunNs of CPU time
// or is asleep. If that has proved too short, on a loaded machine or in new code, it is doubled, up
// to kMaxCaution times.
inline constexpr uint64_t kSilentGraceNs = 2'000'000;
inline constexpr uint64_t kSilentRunNs = 1'000'000;
inline constexpr uint64_t kMaxCaution = 4;
// A process may end within a millisecond of an unhandled throw: before that is certain, or before
// the drain thread gets a processor to check again. So some of the throws that may be unhandled are
// written at once, without an end: kUrgentThrows in a row, and later one per kUrgentEveryNs.
inline constexpr uint64_t kUrgentThrows = 16;
inline constexpr uint64_t kUrgentEveryNs = 500'000'000;

using ExceptionEnd = wire::Outcome::Kind;
// Its index in a tally, which has no entry for throws in flight.
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

// kExceptionSearched: the search has reached the outermost managed frame; or a handler was found
// after that, or (for a silent throw) anywhere.
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

  // Whether the runtime's events report exceptions, and no longer its notifications. Any thread.
  bool by_events() const { return by_events_.load(std::memory_order_acquire); }
  void SwitchToEvents() { by_events_.store(true, std::memory_order_release); }

  // Callbacks, on the thread that throws. `is_fault`: the innermost frame is certainly at the
  // instruction that faulted. The first one is for notifications. `record`: the runtime's own of
  // the throw, by which events that come later know it again; 0: not known.
  void Notified(clr::ObjectID object, bool is_fault, uintptr_t frame_address, uintptr_t record) {
    Thrown(object, is_fault, frame_address, nullptr, record);
  }
  void Thrown(clr::ObjectID object, bool is_fault, uintptr_t frame_address,
              const Dispatches& dispatches) {
    Thrown(object, is_fault, frame_address, &dispatches, 0);
  }
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
  bool IsUnreported(const Dispatches& dispatches);
  // The same in events, which name methods: FunctionIDs.
  void FinallyEnter(clr::FunctionID function);
  void CatcherEnter(clr::FunctionID function, uintptr_t handler_ip, const Dispatches& dispatches);

 private:
  void Thrown(clr::ObjectID object, bool is_fault, uintptr_t frame_address,
              const Dispatches* dispatches, uintptr_t notified_record);
  void Pop(ThreadTrack& track, ExceptionEnd end, uint64_t now, clr::FunctionID catcher = 0,
           uintptr_t handler_ip = 0);
  void Searched(ThreadTrack& track, const InFlight& exception, bool found);
  void ReportSearched(ThreadTrack& track, const InFlight& exception, bool found);
  void PopFinished(ThreadTrack& track, uintptr_t sp, uint64_t now);
  void PopUnseen(ThreadTrack& track, uint64_t now);
  // The handler of the innermost one begins.
  void Caught(ThreadTrack& track, uint64_t now, clr::FunctionID function, uintptr_t handler_ip);
  uint32_t DepthOfMethod(const InFlight& exception, clr::FunctionID method) const;
  // Records the throw with its details, or counts it.
  void Record(ThreadTrack& track, clr::ObjectID object, const WalkedStack& stack, uint64_t ordinal,
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
