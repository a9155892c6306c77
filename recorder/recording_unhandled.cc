// Errors that end the process, or may: exceptions that seem to be unhandled, and the runtime's
// fatal errors. They are on disk before the process ends.
#include <algorithm>

#include "recorder/recording_writer.h"

namespace hindsight::recorder {

// The mark is in the segment that has the exception or the error, which is written at once.
void RecordingWriter::MarkUnhandled(uint64_t now_ns, uint32_t os_id) {
  unhandled_marks_.resize(options_.rules.size());
  for (size_t i = 0; i < options_.rules.size(); ++i) {
    const contract::Rule& rule = options_.rules[i];
    RuleLimit& limit = unhandled_marks_[i];
    if (rule.subject != contract::RuleSubject::kUnhandled) continue;
    if (limit.HasRested(kEndNs, now_ns)) limit.FalseAlarm();  // the process lives
    if (!limit.Fire(options_, now_ns)) continue;
    std::string text = "Rule " + rule.text + " fired: ";
    text += os_id != 0 ? "an exception that seems to be unhandled. "
                       : "an error for which the runtime ends the process. ";
    if (rule.action == contract::RuleAction::kMark) {
      text += "Marked.";
    } else if (os_id != 0) {
      text += snapshot_end_(os_id);
    } else {
      text += "No heap snapshot: the failing thread cannot be stopped for one.";
    }
    if (limit.IsOver(options_)) {
      text += " It has now fired rules.most times, and will not fire again.";
    }
    marked_unhandled_.fetch_add(1, std::memory_order_relaxed);
    NoteRule(rule.text, std::move(text));
  }
}

RecordingWriter::Look RecordingWriter::LookAgain(uint64_t now_ns, bool busy, Look at_words) const {
  if (sources_.exceptions.HasSuspects()) return Look::kSoon;
  const uint64_t last_ns = sources_.exceptions.last_silent_ns();
  if (last_ns == 0 || last_ns + kSilentThrowsFlowNs <= now_ns) return at_words;
  const bool soon = !busy && sources_.exceptions.HasSilentSuspects() &&
                    last_ns + 2 * sources_.exceptions.silent_grace_ns() > now_ns;
  return std::max(at_words, soon ? Look::kSoon : Look::kSilent);
}

// Throws that were only counted, and that seem to be unhandled. Some of them may still be caught:
// returns when to check again.
RecordingWriter::Look RecordingWriter::TakeLastWords(bool& urgent) {
  Look again = Look::kNone;
  ThreadTracks::Instance().ForEach(id_, [&](ThreadTrack& track) {
    LastWords& words = track.last_words;
    uint32_t state = words.state.load(std::memory_order_acquire);
    if (state != LastWords::kOffered) return;
    const uint64_t offered_ns = words.offered_ns.load(std::memory_order_relaxed);
    const uint64_t cpu_ns = words.silent_cpu_ns.load(std::memory_order_relaxed);
    const bool silent = cpu_ns != 0;
    const uint32_t os_id = track.os_id.load(std::memory_order_relaxed);
    const uint64_t grace_ns = silent ? sources_.exceptions.silent_grace_ns() : kUnhandledGraceNs;
    if (offered_ns + grace_ns > MonotonicNs() ||
        (silent && !RunSince(cpu_ns).HasRun(os_id, sources_.exceptions.silent_run_ns()))) {
      again = std::max(again, silent ? Look::kSilent : Look::kSoon);
      return;
    }
    // Events that the thread wrote before may have arrived since: they belong to the same segment.
    Merge(offered_ns);
    if (!words.state.compare_exchange_strong(state, LastWords::kTaken, std::memory_order_acq_rel)) {
      return;
    }
    // By now they may be those of a later throw, which has its own time, and may still be caught.
    const uint64_t searched_ns = words.offered_ns.load(std::memory_order_relaxed);
    urgent = true;
    if (!track.tally.TakeOut(words.row(), words.continued())) {
      words.state.store(LastWords::kKept, std::memory_order_release);
      return;
    }
    const auto& thrown = *reinterpret_cast<const ExceptionThrownEvent*>(words.event);
    Consume(thrown.header);
    const ExceptionSearchedEvent searched{
        {sizeof(ExceptionSearchedEvent) / 8, EventKind::kExceptionSearched, thrown.header.thread,
         searched_ns},
        thrown.ordinal,
        /*found=*/false,
        /*urgent=*/false};
    Consume(searched.header);
    words.state.store(LastWords::kReported, std::memory_order_release);
  });
  return again;
}

// Handlers that have rethrown their exceptions, which no event reports, to where they seem to be
// unhandled.
RecordingWriter::Look RecordingWriter::LookAtHandlers(bool& urgent) {
  Look again = Look::kNone;
  if (dispatches_ == nullptr) return again;
  ThreadTracks::Instance().ForEach(id_, [&](ThreadTrack& track) {
    ExceptionState& state = track.exceptions;
    const uintptr_t handler = state.handler.load(std::memory_order_acquire);
    const uint64_t ordinal = state.handler_ordinal.load(std::memory_order_relaxed);
    if (handler == 0 || ordinal == 0) return;
    const uint64_t now = MonotonicNs();
    if (state.handler_since_ns.load(std::memory_order_relaxed) + kYoungHandlerNs > now) {
      again = std::max(again, Look::kSilent);
    }
    uintptr_t innermost = 0, around = 0;
    const bool unreported =
        dispatches_->Look(state.thread.load(std::memory_order_relaxed), innermost, around) &&
        around == handler && innermost != state.in_flight.load() && handler == state.handler.load();
    if (!unreported) {
      state.found = 0;
      return;
    }
    if (state.found != innermost) {
      state.found = innermost;
      state.found_ns = now;
      state.look = RunSince();
    }
    const uint32_t os_id = track.os_id.load(std::memory_order_relaxed);
    const bool has_run = state.look.HasRun(os_id, sources_.exceptions.silent_run_ns());
    again = Look::kSoon;
    if (!has_run || state.found_ns + sources_.exceptions.silent_grace_ns() > now) return;
    // Either its thread sees that when it reports it now, or this one sees that it does.
    state.mistrusted.store(innermost);
    if (innermost == state.in_flight.load() || handler != state.handler.load()) return;
    if (!sources_.exceptions.WriteUnhandledAfterAll(os_id, ordinal, now, packets_)) return;
    urgent = true;
    MarkUnhandled(now, os_id);
  });
  return again;
}

}  // namespace hindsight::recorder
