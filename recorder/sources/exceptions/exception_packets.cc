#include "recorder/sources/exceptions/exception_packets.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "recorder/sources/packet_stack.h"

namespace hindsight::recorder {
namespace {

uint64_t HashOf(std::span<const char16_t> text) {
  return std::hash<std::u16string_view>{}({text.data(), text.size()});
}

std::span<const uintptr_t> InlineFrames(const ExceptionThrownEvent& event) {
  return {reinterpret_cast<const uintptr_t*>(&event + 1), event.frames_inline};
}

std::span<const char16_t> MessageOf(const ExceptionThrownEvent& event) {
  const std::span<const uintptr_t> frames = InlineFrames(event);
  return {reinterpret_cast<const char16_t*>(frames.data() + frames.size()), event.message_units};
}

}  // namespace

uintptr_t ExceptionPackets::InnermostFrame(const ExceptionThrownEvent& event) const {
  const std::span<const uintptr_t> frames =
      event.stack != 0 ? dictionaries_.Frames(event.stack) : InlineFrames(event);
  return frames.empty() ? 0 : frames.front();
}

void ExceptionPackets::Consume(const EventHeader& event, PacketWriter& packets) {
  if (event.kind == EventKind::kExceptionThrown) {
    OnThrown(reinterpret_cast<const ExceptionThrownEvent&>(event), packets);
  } else if (event.kind == EventKind::kExceptionEnded) {
    OnEnded(reinterpret_cast<const ExceptionEndedEvent&>(event), packets);
  } else if (event.kind == EventKind::kExceptionSearched) {
    OnSearched(reinterpret_cast<const ExceptionSearchedEvent&>(event));
  }
}

void ExceptionPackets::OnThrown(const ExceptionThrownEvent& event, PacketWriter& packets) {
  if (pending_.size() >= kMaxPending) GiveUpOldest(packets);
  const uint32_t os_id = event.header.thread;
  const std::span<const char16_t> message = MessageOf(event);
  const uint64_t message_hash = HashOf(message);

  Pending pending{};
  pending.id = ++last_id_;
  pending.thrown_ns = event.header.time_ns;
  pending.thread = threads_.IdOf(os_id, packets);
  pending.type = dictionaries_.Type(event.type);
  pending.message = dictionaries_.Message(message, event.message_cut);
  pending.stack = StackOf(event, dictionaries_);
  pending.stack_truncated = event.stack_truncated;

  bool inferred = false;
  if (const Throw* previous = FindPrevious(event, message_hash, inferred)) {
    const bool in_its_handler =
        previous->thread == os_id && previous->ordinal == event.handler_ordinal;
    // An object thrown again without a trace and outside of its handler is one that the application
    // keeps and throws over and over: each is a first throw.
    // An await may run its continuation, and throw there, inside the handler that completed its
    // task.
    const bool rethrown =
        in_its_handler && !dictionaries_.RestoresExceptions(InnermostFrame(event));
    pending.hop = event.has_trace  ? (rethrown ? wire::Hop::kRethrow : wire::Hop::kRestored)
                  : in_its_handler ? wire::Hop::kAgain
                                   : wire::Hop::kNone;
    if (pending.hop != wire::Hop::kNone) {
      pending.previous = previous->id;
      pending.hop_inferred = inferred;
    }
  }
  if (event.cause != 0) {
    if (const Throw* cause = FindCause(event, inferred)) {
      pending.cause = cause->id;
      pending.cause_inferred = inferred;
    }
  }
  if (event.during_ordinal != 0) {
    const auto during = pending_.find({os_id, event.during_ordinal});
    if (during != pending_.end()) pending.during = during->second.id;
  }
  std::erase_if(thrown_on_, [&](const Throw& thrown) {
    // It is handled after all: thrown on now, or it was never thrown on.
    const bool is_around =
        event.mistrusted && thrown.thread == os_id && thrown.ordinal == event.handler_ordinal;
    if (thrown.id != pending.previous && !is_around) return false;
    WriteLateOutcome(thrown.id, thrown.thrown_ns,
                     {ExceptionEnd::kCaught, 0, event.header.time_ns, 0, 0}, packets);
    return true;
  });
  Remember({event.object, event.type, message_hash, pending.id, event.ordinal, event.header.time_ns,
            os_id, event.collections});
  pending_[{os_id, event.ordinal}] = pending;
  urgent_ = urgent_ || event.urgent;
  if (!event.silent) return;
  AddSuspect({os_id, event.ordinal}, event.header.time_ns, /*silent=*/true, event.cpu_ns);
  last_silent_ns_ = event.header.time_ns;
}

// Threads die with exceptions in flight, whose outcomes never come. Those are the oldest.
void ExceptionPackets::GiveUpOldest(PacketWriter& packets) {
  Flush(packets);
  std::vector<uint64_t> ids;
  ids.reserve(pending_.size());
  for (const auto& [key, pending] : pending_) ids.push_back(pending.id);
  const auto middle = ids.begin() + static_cast<ptrdiff_t>(ids.size() / 2);
  std::nth_element(ids.begin(), middle, ids.end());
  EraseSuspects([&](const Suspect& suspect) {
    const auto found = pending_.find(suspect.key);
    return found == pending_.end() || found->second.id < *middle;
  });
  std::erase_if(pending_, [&](const auto& entry) { return entry.second.id < *middle; });
}

void ExceptionPackets::OnEnded(const ExceptionEndedEvent& event, PacketWriter& packets) {
  const EventKey key{event.header.thread, event.ordinal};
  const auto found = pending_.find(key);
  if (found == pending_.end()) {
    ++unknown_ends_;
    return;
  }
  const Pending& pending = found->second;
  const Outcome outcome{event.end, CatcherFrame(event), event.header.time_ns, event.finally_count,
                        event.filter_count};
  WriteEnd(pending, outcome, packets);
  if (pending.unhandled) {
    cleared_ = true;
    caution_ = std::min(2 * caution_, kMaxCaution);
  }
  pending_.erase(found);
  RemoveSuspect(key);
}

void ExceptionPackets::OnSearched(const ExceptionSearchedEvent& event) {
  const EventKey key{event.header.thread, event.ordinal};
  RemoveSuspect(key);
  urgent_ = urgent_ || event.urgent;
  if (!event.found) AddSuspect(key, event.header.time_ns, /*silent=*/false);
}

void ExceptionPackets::AddSuspect(const EventKey& key, uint64_t since_ns, bool silent,
                                  uint64_t cpu_ns) {
  if (suspects_.size() >= kMaxPending) return;
  suspects_.push_back({key, since_ns, silent, RunSince(cpu_ns)});
  if (silent) ++silent_suspects_;
}

void ExceptionPackets::RemoveSuspect(const EventKey& key) {
  EraseSuspects([&](const Suspect& suspect) { return suspect.key == key; });
}

template <typename Predicate>
void ExceptionPackets::EraseSuspects(Predicate is_over) {
  std::erase_if(suspects_, [&](Suspect& suspect) {
    if (!is_over(suspect)) return false;
    if (suspect.silent) --silent_suspects_;
    return true;
  });
}

uint32_t ExceptionPackets::WriteUnhandled(uint64_t now_ns, uint64_t grace_ns,
                                          PacketWriter& packets) {
  uint32_t os_id = 0;
  EraseSuspects([&](Suspect& suspect) {
    if (suspect.since_ns + (suspect.silent ? silent_grace_ns() : grace_ns) > now_ns) return false;
    if (suspect.silent && !suspect.look.HasRun(suspect.key.thread, silent_run_ns())) return false;
    const auto found = pending_.find(suspect.key);
    if (found == pending_.end()) return true;
    const Outcome outcome{ExceptionEnd::kUnhandled, 0, suspect.since_ns, 0, 0};
    packets.Begin();
    WriteEnd(found->second, outcome, packets);
    found->second.written = found->second.unhandled = true;
    os_id = suspect.key.thread;
    return true;
  });
  return os_id;
}

bool ExceptionPackets::WriteUnhandledAfterAll(uint32_t os_id, uint64_t ordinal, uint64_t now_ns,
                                              PacketWriter& packets) {
  const auto is_it = [&](const Throw& thrown) {
    return thrown.id != 0 && thrown.thread == os_id && thrown.ordinal == ordinal;
  };
  if (std::any_of(thrown_on_.begin(), thrown_on_.end(), is_it)) return false;
  const Throw* found = nullptr;
  for (const auto* table : {&by_object_, &by_content_, &by_type_}) {
    const auto at = std::find_if(table->begin(), table->end(), is_it);
    if (at != table->end()) found = &*at;
  }
  if (found == nullptr) return false;
  packets.Begin();
  WriteLateOutcome(found->id, found->thrown_ns, {ExceptionEnd::kUnhandled, 0, now_ns, 0, 0},
                   packets);
  thrown_on_.push_back(*found);
  return true;
}

void ExceptionPackets::Flush(PacketWriter& packets) {
  for (auto& [key, pending] : pending_) {
    if (pending.written) continue;
    Write(pending, nullptr, packets);
    pending.written = true;
  }
}

const ExceptionPackets::Throw* ExceptionPackets::FindPrevious(const ExceptionThrownEvent& event,
                                                              uint64_t message_hash,
                                                              bool& inferred) const {
  const Throw& same = by_object_[Slot(event.object)];
  inferred = false;
  if (same.object == event.object && same.collections == event.collections) return &same;
  if (!event.has_trace) return nullptr;
  const Throw& alike = by_content_[Slot(event.type ^ message_hash)];
  inferred = true;
  return alike.id != 0 && alike.type == event.type && alike.message_hash == message_hash ? &alike
                                                                                         : nullptr;
}

const ExceptionPackets::Throw* ExceptionPackets::FindCause(const ExceptionThrownEvent& event,
                                                           bool& inferred) const {
  const Throw& same = by_object_[Slot(event.cause)];
  inferred = false;
  if (same.object == event.cause && same.collections == event.collections) return &same;
  const Throw& alike = by_type_[Slot(event.cause_type)];
  inferred = true;
  return alike.id != 0 && alike.type == event.cause_type ? &alike : nullptr;
}

void ExceptionPackets::Remember(const Throw& thrown) {
  by_object_[Slot(thrown.object)] = thrown;
  by_content_[Slot(thrown.type ^ thrown.message_hash)] = thrown;
  by_type_[Slot(thrown.type)] = thrown;
}

uint32_t ExceptionPackets::CatcherFrame(const ExceptionEndedEvent& end) {
  if (end.handler_ip != 0) return dictionaries_.Frame(end.handler_ip, AddressKind::kExact);
  return end.catcher != 0 ? dictionaries_.MethodFrame(end.catcher) : 0;
}

void ExceptionPackets::Write(const Pending& pending, const Outcome* outcome,
                             PacketWriter& packets) {
  const int64_t id_delta = packets.ExceptionIdDelta(pending.id);
  packets.Write(wire::Packet::kException, pending.thrown_ns, [&](auto& exception) {
    if (id_delta != 0) exception.Set(exception.kIdDelta, id_delta);
    exception.Set(exception.kThread, pending.thread);
    exception.Set(exception.kType, pending.type);
    if (pending.message != 0) exception.Set(exception.kMessage, pending.message);
    if (pending.stack != 0) exception.Set(exception.kStack, pending.stack);
    if (pending.previous != 0) {
      exception.Set(exception.kPreviousDelta, pending.id - pending.previous);
    }
    if (pending.hop != wire::Hop::kNone) exception.Set(exception.kHop, pending.hop);
    if (pending.hop_inferred) exception.Set(exception.kHopInferred, true);
    if (pending.cause != 0) exception.Set(exception.kCauseDelta, pending.id - pending.cause);
    if (pending.during != 0) exception.Set(exception.kDuringDelta, pending.id - pending.during);
    if (outcome != nullptr) {
      WriteOutcome({exception, exception.kOutcome}, pending.thrown_ns, *outcome);
    }
    if (pending.stack_truncated) exception.Set(exception.kStackTruncated, true);
    if (pending.cause_inferred) exception.Set(exception.kCauseInferred, true);
  });
}

// With its throw, or as a packet of its own if a segment has ended in between.
void ExceptionPackets::WriteEnd(const Pending& pending, const Outcome& outcome,
                                PacketWriter& packets) {
  if (pending.written) {
    WriteLateOutcome(pending.id, pending.thrown_ns, outcome, packets);
  } else {
    Write(pending, &outcome, packets);
  }
}

void ExceptionPackets::WriteLateOutcome(uint64_t id, uint64_t thrown_ns, const Outcome& outcome,
                                        PacketWriter& packets) {
  packets.Write(wire::Packet::kExceptionOutcome, outcome.ended_ns, [&](auto& late) {
    late.Set(late.kId, id);
    WriteOutcome({late, late.kOutcome}, thrown_ns, outcome);
  });
}

void ExceptionPackets::WriteOutcome(ProtoWriter<wire::Outcome> message, uint64_t thrown_ns,
                                    const Outcome& outcome) {
  message.Set(message.kKind, outcome.end);
  if (outcome.catcher != 0) message.Set(message.kCatcher, outcome.catcher);
  message.Set(message.kThrowToEndNs, outcome.ended_ns - thrown_ns);
  if (outcome.finally_count != 0) message.Set(message.kFinallyCount, outcome.finally_count);
  if (outcome.filter_count != 0) message.Set(message.kFilterCount, outcome.filter_count);
}

uint64_t ExceptionPackets::memory_bytes() const {
  return sizeof(*this) + pending_.size() * (sizeof(EventKey) + sizeof(Pending) + 2 * sizeof(void*));
}

}  // namespace hindsight::recorder
