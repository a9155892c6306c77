#include "recorder/sources/exceptions.h"

#include <algorithm>
#include <cstring>

namespace hindsight::recorder {
namespace {

constexpr uint64_t kHurryEveryNs = 5'000'000;

// Handlers of frames below `frame`, or of this handler itself, are left: an exception that leaves a
// handler is not told.
void PopHandlers(ThreadTrack& track, uintptr_t frame, uintptr_t ip = 0) {
  while (track.handler_count > 0) {
    const ActiveHandler& top = track.handlers[track.handler_count - 1];
    if (top.frame > frame || (top.frame == frame && top.ip != ip)) return;
    --track.handler_count;
  }
}

InFlight* Top(ThreadTrack* track) {
  return track != nullptr && track->in_flight_count > 0
             ? &track->in_flight[track->in_flight_count - 1]
             : nullptr;
}

}  // namespace

void Exceptions::Thrown(clr::ObjectID object, uintptr_t frame_address) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (track == nullptr) return;
  const CallbackCost cost(*track, now);

  const WalkedStack stack = walker_.Walk(*track, frame_address);
  if (stack.first_sp != 0) PopFinished(*track, stack.first_sp, now);

  InFlight exception{};
  exception.thrown_ns = now;
  exception.throw_sp = stack.first_sp;
  exception.managed_frames = static_cast<uint32_t>(stack.frames.size());
  Emit(*track, object, stack, ++track->throws, now, exception);

  // Nested deeper than anybody nests: the outermost is forgotten, and its outcome stays unknown.
  if (track->in_flight_count == kMaxInFlight) {
    std::copy(track->in_flight + 1, track->in_flight + kMaxInFlight, track->in_flight);
    --track->in_flight_count;
  }
  track->in_flight[track->in_flight_count++] = exception;
}

void Exceptions::Emit(ThreadTrack& track, clr::ObjectID object, const WalkedStack& stack,
                      uint64_t ordinal, uint64_t now, InFlight& exception) {
  clr::ClassID type = 0;
  info_->GetClassFromObject(object, &type);
  const bool readable = type != 0 && layout_.Ready(type);
  std::span<const char16_t> message;
  if (readable && options_.exception_messages) message = layout_.Message(object);
  const size_t kept = std::min<size_t>(message.size(), options_.exception_message_chars);
  const uint32_t handle = stacks_.Intern(stack.frames);
  const size_t frames_inline = handle != 0 ? 0 : stack.frames.size();

  void* memory = emitter_.Reserve(
      track, EventKind::kExceptionThrown, now,
      sizeof(ExceptionThrownEvent) + frames_inline * sizeof(uintptr_t) + kept * sizeof(char16_t));
  if (memory == nullptr) return;  // with ordinal 0 its end is not told either
  auto& event = *static_cast<ExceptionThrownEvent*>(memory);
  const InFlight* around = Top(&track);
  event.ordinal = exception.ordinal = ordinal;
  event.during_ordinal = around != nullptr ? around->ordinal : 0;
  event.type = type;
  event.object = object;
  event.cause = readable ? layout_.InnerException(object) : 0;
  event.cause_type = 0;
  if (event.cause != 0) info_->GetClassFromObject(event.cause, &event.cause_type);
  event.collections = collections_.load(std::memory_order_relaxed);
  event.stack = handle;
  event.frames_inline = static_cast<uint32_t>(frames_inline);
  event.message_units = static_cast<uint32_t>(kept);
  event.message_cut = static_cast<uint32_t>(message.size() - kept);
  event.has_trace = readable && layout_.HasStackTrace(object);
  event.stack_truncated = stack.truncated;
  const ActiveHandler handler =
      track.handler_count > 0 ? track.handlers[track.handler_count - 1] : ActiveHandler{};
  event.handler_ordinal = handler.ordinal;
  // The runtime identifies a frame by its stack pointer or its frame pointer, according to its
  // version.
  event.in_handler_frame =
      handler.frame != 0 && (handler.frame == stack.first_sp || handler.frame == stack.first_bp);
  auto* tail = reinterpret_cast<std::byte*>(&event + 1);
  if (frames_inline != 0) std::memcpy(tail, stack.frames.data(), frames_inline * sizeof(uintptr_t));
  if (kept != 0) {
    std::memcpy(tail + frames_inline * sizeof(uintptr_t), message.data(), kept * sizeof(char16_t));
  }
  emitter_.Commit(track);
}

void Exceptions::Pop(ThreadTrack& track, ExceptionEnd end, uint64_t now, clr::FunctionID catcher,
                     uintptr_t handler_ip) {
  const InFlight exception = track.in_flight[--track.in_flight_count];
  if (exception.ordinal == 0) return;
  void* memory =
      emitter_.Reserve(track, EventKind::kExceptionEnded, now, sizeof(ExceptionEndedEvent));
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

// A new throw at `sp`: dispatching an exception keeps the frames of its throw on the stack, so what
// was thrown further in is over, and what caught it did not tell.
void Exceptions::PopFinished(ThreadTrack& track, uintptr_t sp, uint64_t now) {
  while (InFlight* top = Top(&track)) {
    if (top->throw_sp == 0 || top->throw_sp >= sp) break;
    Pop(track, top->finally_frame != 0 ? ExceptionEnd::kReplaced : ExceptionEnd::kCaughtNative,
        now);
  }
  PopHandlers(track, sp);
}

void Exceptions::SearchFunctionEnter() {
  ThreadTrack* track = emitter_.Track();
  InFlight* top = Top(track);
  if (top == nullptr || ++top->searched != top->managed_frames || top->ordinal == 0) return;
  TellSearched(*track, *top, false);
}

void Exceptions::SearchCatcherFound(clr::FunctionID function) {
  ThreadTrack* track = emitter_.Track();
  InFlight* top = Top(track);
  if (top == nullptr) return;
  top->catcher = function;
  if (top->searched >= top->managed_frames && top->ordinal != 0) TellSearched(*track, *top, true);
}

void Exceptions::TellSearched(ThreadTrack& track, const InFlight& exception, bool found) {
  const uint64_t now = MonotonicNs();
  void* memory =
      emitter_.Reserve(track, EventKind::kExceptionSearched, now, sizeof(ExceptionSearchedEvent));
  if (memory == nullptr) return;
  auto& event = *static_cast<ExceptionSearchedEvent*>(memory);
  event.ordinal = exception.ordinal;
  event.found = found;
  emitter_.Commit(track);
  // Threads whose outermost frame handles exceptions all the time need not wake anybody each time:
  // the drain thread looks again within milliseconds anyway while there are events.
  if (!found && now - track.hurried_ns > kHurryEveryNs) {
    track.hurried_ns = now;
    emitter_.Hurry();
  }
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

void Exceptions::UnwindFinallyEnter() {
  if (InFlight* top = Top(emitter_.Track())) {
    ++top->finally_count;
    clr::COR_PRF_EX_CLAUSE_INFO clause{};
    if (clr::Succeeded(info_->GetNotifiedExceptionClauseInfo(&clause))) {
      top->finally_frame = clause.frame_pointer;
    }
  }
}

void Exceptions::UnwindFinallyLeave() {
  if (InFlight* top = Top(emitter_.Track())) top->finally_frame = 0;
}

void Exceptions::CatcherEnter(clr::FunctionID function) {
  const uint64_t now = MonotonicNs();
  ThreadTrack* track = emitter_.Track();
  if (Top(track) == nullptr) return;
  const CallbackCost cost(*track, now);

  // What lies above the exception that this method was found to catch ended unseen, in native code.
  for (uint32_t i = track->in_flight_count; i-- > 0;) {
    if (track->in_flight[i].catcher != function) continue;
    while (track->in_flight_count > i + 1) Pop(*track, ExceptionEnd::kCaughtNative, now);
    break;
  }
  clr::COR_PRF_EX_CLAUSE_INFO clause{};
  if (clr::Failed(info_->GetNotifiedExceptionClauseInfo(&clause))) clause = {};
  const uint64_t ordinal = Top(track)->ordinal;
  Pop(*track, ExceptionEnd::kCaught, now, function, clause.program_counter);

  // Caught outside of the frames whose finally blocks it left: their exceptions end with it.
  while (InFlight* top = Top(track)) {
    if (top->finally_frame == 0 || top->finally_frame >= clause.frame_pointer) break;
    Pop(*track, ExceptionEnd::kReplaced, now);
  }
  PopHandlers(*track, clause.frame_pointer, clause.program_counter);
  if (track->handler_count < kMaxHandlers && ordinal != 0) {
    track->handlers[track->handler_count++] = {ordinal, clause.frame_pointer,
                                               clause.program_counter};
  }
}

void Exceptions::CatcherLeave() {
  ThreadTrack* track = emitter_.Track();
  if (track != nullptr && track->handler_count > 0) --track->handler_count;
}

}  // namespace hindsight::recorder
