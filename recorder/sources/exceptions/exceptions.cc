#include "recorder/sources/exceptions/exceptions.h"

#include <algorithm>

#include "recorder/names/call_instruction.h"

namespace hindsight::recorder {
namespace {

constexpr uint64_t kHurryEveryNs = 5'000'000;
// For at least this long after a silent throw, the drain thread checks often by itself
// (RecordingWriter).
constexpr uint64_t kWakeEveryNs = kSilentThrowsFlowNs / 2;

// Removes handlers of frames that are gone: an exception that leaves a handler is not reported as
// its end. .NET 10 does not count the throwing frame of a rethrow, so a depth may be one too large;
// one that stays a little longer does no harm.
void PopHandlers(ThreadTrack& track, uint32_t depth) {
  while (track.handler_count > 0 && track.handlers[track.handler_count - 1].depth > depth + 1) {
    --track.handler_count;
  }
}

// The same if events report exceptions: removes handlers whose exceptions the runtime no longer
// keeps.
void DropHandlers(ThreadTrack& track, const Dispatches& dispatches) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < track.handler_count; ++i) {
    const ActiveHandler handler = track.handlers[i];
    const bool runs = handler.record != 0 && dispatches.IsAround(handler.record);
    if (runs) track.handlers[kept++] = handler;
  }
  track.handler_count = kept;
}

// Whether the innermost one is `exception`, which was reported by its notification.
bool WasNotified(const InFlight& exception, const Dispatches& dispatches) {
  return exception.record == 0 && exception.notified_record != 0 &&
         exception.notified_record == dispatches.innermost();
}

// No application nests deeper than these stacks; if one does, the outermost entry is dropped, and
// its end is not reported.
template <typename T, size_t kCapacity>
void Push(T (&stack)[kCapacity], uint32_t& count, const T& entry) {
  if (count == kCapacity) {
    std::copy(stack + 1, stack + kCapacity, stack);
    --count;
  }
  stack[count++] = entry;
}

// Depth of the `count`-th frame that a pass has reached.
uint32_t DepthOf(const InFlight& exception, uint32_t count) {
  return exception.depth + 1 > count ? exception.depth + 1 - count : 0;
}

InFlight* Top(ThreadTrack* track) { return track != nullptr ? track->innermost() : nullptr; }

void Publish(ThreadTrack& track) {
  ExceptionState& state = track.exceptions;
  const InFlight* top = Top(&track);
  state.in_flight.store(top != nullptr ? top->record : 0, std::memory_order_relaxed);
  const ActiveHandler handler =
      track.handler_count > 0 ? track.handlers[track.handler_count - 1] : ActiveHandler{};
  state.handler_ordinal.store(handler.ordinal, std::memory_order_relaxed);
  state.handler.store(handler.record, std::memory_order_release);
}

// False: its words have been reported, so it is one that is reported in detail.
bool Withdraw(ThreadTrack& track, const InFlight& exception) {
  LastWords& words = track.last_words;
  if (exception.words == 0 || words.ordinal != exception.words) return true;
  uint32_t state = LastWords::kOffered;
  if (words.state.compare_exchange_strong(state, LastWords::kKept, std::memory_order_acquire)) {
    return true;
  }
  return state == LastWords::kKept;
}

}  // namespace

void Exceptions::Thrown(clr::ObjectID object, bool is_fault, uintptr_t frame_address,
                        const Dispatches* dispatches, uintptr_t notified_record) {
  // The source cpu needs the callback, too.
  if (!options_.Has(contract::Source::kExceptions)) return;
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(track->meter, now);

  const WalkedStack stack = walker_.Walk(*track, frame_address);
  const auto depth = static_cast<uint32_t>(stack.frames.size());
  if (depth != 0) {
    InFlight* top = Top(track);
    // The notification of this throw came just before the switch to events, and those of its search
    // may not come any more.
    if (dispatches != nullptr && top != nullptr && WasNotified(*top, *dispatches) &&
        top->throw_sp == stack.first_sp) {
      top->record = dispatches->innermost();
      Searched(*track, *top, false);
      return;
    }
    PopFinished(*track, stack.first_sp, now);
    if (dispatches == nullptr) PopHandlers(*track, depth);
    // Stacks contain return addresses, and a reader looks for the instruction before each.
    if (is_fault) ++track->frames[0];
  }
  InFlight exception{};
  exception.notified_record = notified_record;
  if (dispatches != nullptr) {
    DropHandlers(*track, *dispatches);
    while (Top(track) != nullptr && Top(track)->record != 0 &&
           !dispatches->IsAround(Top(track)->record)) {
      PopUnseen(*track, now);
    }
    track->exceptions.in_flight = exception.record = dispatches->innermost();
  }
  exception.thrown_ns = now;
  exception.throw_sp = stack.first_sp;
  exception.depth = depth;
  exception.urgent = MayBeUrgent(now);
  Record(*track, object, stack, ++track->throws, exception);
  Push(track->in_flight, track->in_flight_count, exception);
  if (exception.urgent) emitter_.Hurry();
  if (dispatches == nullptr) return;
  Publish(*track);
  if (exception.ordinal == 0) Offer(*track, exception);
  if (!exception.urgent) WakeForFirst(now);
}

void Exceptions::Pop(ThreadTrack& track, ExceptionEnd end, uint64_t now, clr::FunctionID catcher,
                     uintptr_t handler_ip) {
  InFlight exception = track.in_flight[--track.in_flight_count];
  if (exception.ordinal == 0 && !Withdraw(track, exception)) {
    track.tally.EndElsewhere(exception.row);
    exception.ordinal = exception.words;
  }
  if (exception.ordinal == 0) {
    track.tally.End(exception.row, TallyEndOf(end), now - exception.thrown_ns);
    return;
  }
  static_assert(sizeof(ExceptionEndedEvent) <= Emitter::kMaxEndBytes);
  void* memory = emitter_.Reserve(track, EventKind::kExceptionEnded, now,
                                  sizeof(ExceptionEndedEvent), Claim::kEnd);
  if (memory == nullptr) return;
  auto& event = *static_cast<ExceptionEndedEvent*>(memory);
  event.ordinal = exception.ordinal;
  event.catcher = catcher;
  event.handler_ip = handler_ip;
  event.end = end;
  event.finally_count = exception.finally_count;
  event.filter_count = exception.filter_count;
  emitter_.Commit(track);
}

// A new throw at `sp`: dispatching an exception keeps the frames of its throw on the stack, so
// exceptions thrown further in are over, and what caught them did not report it.
void Exceptions::PopFinished(ThreadTrack& track, uintptr_t sp, uint64_t now) {
  while (InFlight* top = Top(&track)) {
    if (top->throw_sp == 0 || top->throw_sp >= sp) break;
    PopUnseen(track, now);
  }
}

void Exceptions::PopUnseen(ThreadTrack& track, uint64_t now) {
  const bool replaced = Top(&track)->in_finally();
  Pop(track, replaced ? ExceptionEnd::kReplaced : ExceptionEnd::kCaughtNative, now);
}

void Exceptions::SearchFunctionEnter() {
  ThreadTrack* track = emitter_.Track();
  InFlight* top = Top(track);
  if (top == nullptr || ++top->searched != top->depth) return;
  Searched(*track, *top, false);
}

void Exceptions::SearchCatcherFound(clr::FunctionID function) {
  ThreadTrack* track = emitter_.Track();
  InFlight* top = Top(track);
  if (top == nullptr) return;
  top->catcher = function;
  top->catch_depth = DepthOf(*top, top->searched);
  if (top->searched < top->depth) return;
  Searched(*track, *top, true);
}

// Reports it in an event of its own, or through the words of a throw that was only counted.
void Exceptions::Searched(ThreadTrack& track, const InFlight& exception, bool found) {
  if (exception.ordinal != 0) {
    ReportSearched(track, exception, found);
  } else if (found) {
    Withdraw(track, exception);
  } else {
    Offer(track, exception);
  }
}

void Exceptions::ReportSearched(ThreadTrack& track, const InFlight& exception, bool found) {
  const uint64_t now = MonotonicNs();
  void* memory =
      emitter_.Reserve(track, EventKind::kExceptionSearched, now, sizeof(ExceptionSearchedEvent));
  if (memory == nullptr) return;
  auto& event = *static_cast<ExceptionSearchedEvent*>(memory);
  event.ordinal = exception.ordinal;
  event.found = found;
  const bool urgent = event.urgent = !found && MayBeUrgent(now);
  emitter_.Commit(track);
  if (urgent) {
    emitter_.Hurry();
  } else if (!found) {
    Hurry(track, now);
  }
}

// Threads whose outermost frame handles exceptions all the time need not wake the drain thread each
// time: it checks again within milliseconds anyway while there are events.
void Exceptions::Hurry(ThreadTrack& track, uint64_t now) {
  if (now - track.hurried_ns <= kHurryEveryNs) return;
  track.hurried_ns = now;
  emitter_.Hurry();
}

void Exceptions::Offer(ThreadTrack& track, const InFlight& exception) {
  LastWords& words = track.last_words;
  if (exception.words == 0 || words.ordinal != exception.words) return;
  if (words.state.load(std::memory_order_relaxed) != LastWords::kKept) return;
  const uint64_t now = MonotonicNs();
  words.offered_ns.store(now, std::memory_order_relaxed);
  words.state.store(LastWords::kOffered, std::memory_order_release);
  if (exception.record == 0) Hurry(track, now);
}

// The first after a quiet time may be the one that ends the process.
void Exceptions::WakeForFirst(uint64_t now) {
  uint64_t woken = woken_ns_.load(std::memory_order_relaxed);
  if (now - woken < kWakeEveryNs) return;
  if (woken_ns_.compare_exchange_strong(woken, now, std::memory_order_relaxed)) emitter_.Hurry();
}

void Exceptions::SearchFilterEnter() {
  if (InFlight* top = Top(emitter_.Track())) {
    ++top->filter_count;
    top->in_filter = true;
  }
}

void Exceptions::SearchFilterLeave() {
  ThreadTrack* track = emitter_.Track();
  while (InFlight* top = Top(track)) {
    if (top->in_filter) {
      top->in_filter = false;
      return;
    }
    Pop(*track, ExceptionEnd::kLostInFilter, MonotonicNs());
  }
}

void Exceptions::UnwindFunctionEnter() {
  if (InFlight* top = Top(emitter_.Track())) ++top->unwound;
}

void Exceptions::UnwindFinallyEnter() {
  if (InFlight* top = Top(emitter_.Track())) {
    ++top->finally_count;
    top->finally_depth = DepthOf(*top, top->unwound);
  }
}

void Exceptions::UnwindFinallyLeave() {
  InFlight* top = Top(emitter_.Track());
  if (top == nullptr) return;
  top->finally_depth = 0;
  top->finally_method = 0;
}

bool Exceptions::IsUnreported(const Dispatches& dispatches) {
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr || dispatches.count < 2) return false;
  const InFlight* top = Top(track);
  if (top != nullptr && WasNotified(*top, dispatches)) return false;
  for (uint32_t i = 0; i < track->in_flight_count; ++i) {
    if (track->in_flight[i].record == dispatches.innermost()) return false;
  }
  for (uint32_t i = 0; i < track->handler_count; ++i) {
    const uintptr_t record = track->handlers[i].record;
    // 0: its beginning was reported by a notification, before the switch to events.
    if (record == dispatches.records[1] || record == 0) return true;
  }
  return false;
}

void Exceptions::FinallyEnter(clr::FunctionID function) {
  ThreadTrack* track = emitter_.Track();
  InFlight* top = Top(track);
  if (top == nullptr) return;
  // Unwinding begins when a handler has been found.
  if (top->finally_count++ == 0) Searched(*track, *top, true);
  top->finally_depth = 0;
  top->finally_method = function;
}

void Exceptions::CatcherEnter(clr::FunctionID function) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (Top(track) == nullptr) return;
  const CallbackCost cost(track->meter, now);

  // Exceptions above the one that this method was found to catch ended unseen, in native code.
  for (uint32_t i = track->in_flight_count; i-- > 0;) {
    if (track->in_flight[i].catcher != function) continue;
    while (track->in_flight_count > i + 1) Pop(*track, ExceptionEnd::kCaughtNative, now);
    break;
  }
  clr::COR_PRF_EX_CLAUSE_INFO clause{};  // fails after an attach: then only the method is known
  if (clr::Failed(info_->GetNotifiedExceptionClauseInfo(&clause))) clause = {};
  Caught(*track, now, function, clause.program_counter);
}

void Exceptions::CatcherEnter(clr::FunctionID function, uintptr_t handler_ip,
                              const Dispatches& dispatches) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (Top(track) == nullptr) return;
  const CallbackCost cost(track->meter, now);

  uint32_t at = track->in_flight_count;
  while (at > 0 && track->in_flight[at - 1].record != dispatches.innermost()) --at;
  // Otherwise it was thrown before the recording began, or the notification of this handler came
  // just before the switch to events.
  if (at == 0 && !WasNotified(*Top(track), dispatches)) return;
  while (at > 0 && track->in_flight_count > at) PopUnseen(*track, now);
  DropHandlers(*track, dispatches);
  Top(track)->catch_depth = 0;
  Caught(*track, now, function, handler_ip);
}

// Depth of the innermost frame of `method` on the stack of the throw; 0: unknown.
uint32_t Exceptions::DepthOfMethod(const InFlight& exception, clr::FunctionID method) const {
  if (exception.stack == 0) return 0;
  const std::span<const uintptr_t> frames = stacks_.Frames(exception.stack);
  for (size_t i = 0; i < frames.size(); ++i) {
    clr::FunctionID function = 0;
    const auto* ip =
        reinterpret_cast<const uint8_t*>(InstructionAt(frames[i], KindOnStack(frames[i])));
    if (clr::Succeeded(info_->GetFunctionFromIP(ip, &function)) && function == method) {
      return static_cast<uint32_t>(frames.size() - i);
    }
  }
  return 0;
}

void Exceptions::Caught(ThreadTrack& track, uint64_t now, clr::FunctionID function,
                        uintptr_t handler_ip) {
  const InFlight caught = *Top(&track);
  Pop(track, ExceptionEnd::kCaught, now, function, handler_ip);

  // Caught further out than the frames whose finally blocks it left: their exceptions end with it.
  uint32_t catch_depth = caught.catch_depth;
  while (InFlight* top = Top(&track)) {
    if (!top->in_finally()) break;
    if (catch_depth == 0) catch_depth = DepthOfMethod(caught, function);
    if (top->finally_depth == 0) top->finally_depth = DepthOfMethod(*top, top->finally_method);
    if (catch_depth == 0 || top->finally_depth <= catch_depth) break;
    Pop(track, ExceptionEnd::kReplaced, now);
  }
  if (caught.record == 0) PopHandlers(track, catch_depth);
  Push(track.handlers, track.handler_count, {caught.ordinal, catch_depth, caught.record});
  if (caught.record == 0) return;
  track.exceptions.handler_since_ns.store(now, std::memory_order_relaxed);
  Publish(track);
}

void Exceptions::CatcherLeave() {
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr || track->handler_count == 0) return;
  --track->handler_count;
  if (by_events()) Publish(*track);
}

}  // namespace hindsight::recorder
