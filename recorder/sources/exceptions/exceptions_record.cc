// What is recorded of a throw: its details, or that it was one more.
#include <algorithm>
#include <cstring>

#include "recorder/base/thread_run.h"
#include "recorder/sources/exceptions/exceptions.h"

namespace hindsight::recorder {
namespace {

// A dying process leaves the drain thread no time for a second check, so the CPU time is read here.
void MarkSilence(const ThreadTrack& track, const InFlight& exception, ExceptionThrownEvent& event) {
  event.silent = exception.record != 0;
  event.mistrusted = event.silent && exception.record == track.exceptions.mistrusted;
  event.urgent = exception.urgent;
  event.cpu_ns = event.silent ? CpuNsOfThread(track.os_id.load(std::memory_order_relaxed)) : 0;
}

// The runtime drops a filter's throw, so the words of the exception that it filters are kept. And
// the application's handlers for unhandled exceptions may throw too.
bool MayKeep(const ThreadTrack& track) {
  const InFlight* around = track.innermost();
  if (around != nullptr && around->in_filter) return false;
  const uint32_t state = track.last_words.state.load(std::memory_order_acquire);
  return state == LastWords::kKept || state == LastWords::kReported;
}

}  // namespace

void Exceptions::Record(ThreadTrack& track, clr::ObjectID object, const WalkedStack& stack,
                        uint64_t ordinal, InFlight& exception) {
  clr::ClassID type = 0;
  if (object != 0) info_->GetClassFromObject(object, &type);
  const uint32_t handle = exception.stack = stacks_.Intern(stack.frames);
  const TallyKey key{type, handle, TallyKind::kException, 0};
  Tally::RowId row = 0;
  bool in_detail = true;
  if (const uint64_t stride = emitter_.DetailStride(track); stride > 1) {
    row = emitter_.CountIn(track, key);
    in_detail = track.tally.Choose(row, stride);
  }
  const Details details{object, type, stack, handle, ordinal};
  if (in_detail && Emit(track, details, exception)) return;
  exception.row = row != 0 ? row : emitter_.CountIn(track, key);
  const bool continued = type != 0 && layout_.Ready(type) && layout_.HasStackTrace(object);
  if (MayKeep(track)) Keep(track, details, continued, exception);
  track.tally.Begin(exception.row, exception.thrown_ns, continued);
}

std::span<const char16_t> Exceptions::MessageOf(const Details& details) {
  const bool readable = details.type != 0 && layout_.Ready(details.type);
  if (!readable || !options_.exception_messages) return {};
  return layout_.Message(details.object);
}

bool Exceptions::Emit(ThreadTrack& track, const Details& details, InFlight& exception) {
  const std::span<const char16_t> message = MessageOf(details);
  const size_t kept = std::min<size_t>(message.size(), options_.exception_message_chars);
  const size_t frames_inline = details.handle != 0 ? 0 : details.stack.frames.size();

  void* memory = emitter_.TryReserve(
      track, EventKind::kExceptionThrown, exception.thrown_ns,
      sizeof(ExceptionThrownEvent) + frames_inline * sizeof(uintptr_t) + kept * sizeof(char16_t),
      Claim::kDetail);
  if (memory == nullptr) return false;
  exception.ordinal = details.ordinal;
  auto& event = *static_cast<ExceptionThrownEvent*>(memory);
  Fill(track, details, frames_inline, message, kept, event);
  MarkSilence(track, exception, event);
  emitter_.Commit(track);
  return true;
}

void Exceptions::Keep(ThreadTrack& track, const Details& details, bool continued,
                      InFlight& exception) {
  LastWords& words = track.last_words;
  words.counted.store(uint32_t{exception.row} << 1 | continued, std::memory_order_relaxed);
  auto& event = *reinterpret_cast<ExceptionThrownEvent*>(words.event);
  constexpr size_t kRoom = LastWords::kBytes - sizeof(event);
  const size_t frames_inline =
      details.handle != 0 ? 0
                          : std::min(details.stack.frames.size(), kRoom / 2 / sizeof(uintptr_t));
  const std::span<const char16_t> message = MessageOf(details);
  const size_t kept = std::min({message.size(), size_t{options_.exception_message_chars},
                                (kRoom - frames_inline * sizeof(uintptr_t)) / sizeof(char16_t)});
  const size_t bytes =
      AlignEvent(sizeof(event) + frames_inline * sizeof(uintptr_t) + kept * sizeof(char16_t));
  event.header = {static_cast<uint16_t>(bytes / 8), EventKind::kExceptionThrown,
                  track.os_id.load(std::memory_order_relaxed), exception.thrown_ns};
  Fill(track, details, frames_inline, message, kept, event);
  MarkSilence(track, exception, event);
  words.silent_cpu_ns.store(event.cpu_ns, std::memory_order_relaxed);
  words.ordinal = exception.words = details.ordinal;
  words.state.store(LastWords::kKept, std::memory_order_relaxed);
}

void Exceptions::Fill(const ThreadTrack& track, const Details& details, size_t frames_inline,
                      std::span<const char16_t> message, size_t kept, ExceptionThrownEvent& event) {
  const bool readable = details.type != 0 && layout_.Ready(details.type);
  const InFlight* around = track.innermost();
  event.ordinal = details.ordinal;
  event.during_ordinal = around != nullptr ? around->ordinal : 0;
  event.type = details.type;
  event.object = details.object;
  event.cause = readable ? layout_.InnerException(details.object) : 0;
  event.cause_type = 0;
  if (event.cause != 0) info_->GetClassFromObject(event.cause, &event.cause_type);
  event.collections = collections_.load(std::memory_order_relaxed);
  event.stack = details.handle;
  event.frames_inline = static_cast<uint32_t>(frames_inline);
  event.message_units = static_cast<uint32_t>(kept);
  event.message_cut = static_cast<uint32_t>(message.size() - kept);
  event.has_trace = readable && layout_.HasStackTrace(details.object);
  event.stack_truncated = details.stack.truncated ||
                          (details.handle == 0 && frames_inline < details.stack.frames.size());
  event.handler_ordinal =
      track.handler_count > 0 ? track.handlers[track.handler_count - 1].ordinal : 0;
  auto* tail = reinterpret_cast<std::byte*>(&event + 1);
  if (frames_inline != 0) {
    std::memcpy(tail, details.stack.frames.data(), frames_inline * sizeof(uintptr_t));
  }
  if (kept != 0) {
    std::memcpy(tail + frames_inline * sizeof(uintptr_t), message.data(), kept * sizeof(char16_t));
  }
}

}  // namespace hindsight::recorder
