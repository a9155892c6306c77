// What the recorder has to say to readers of a recording.
#include <utility>

#include "recorder/contract/text.h"
#include "recorder/recording_writer.h"

namespace hindsight::recorder {

void RecordingWriter::Note(std::string text) {
  const std::lock_guard lock(notes_mutex_);
  notes_.push_back({.text = std::move(text)});
}

void RecordingWriter::NoteRule(std::string rule, std::string text) {
  const std::lock_guard lock(notes_mutex_);
  notes_.push_back({.text = std::move(text), .rule = std::move(rule), .at_ns = MonotonicNs()});
}

// Files created as one user may be inaccessible to another.
void RecordingWriter::NoticeUser() {
  const uint32_t user = EffectiveUser();
  if (user == user_) return;
  std::string text = "The process has changed its user from " + std::to_string(user_) + " to " +
                     std::to_string(user) + ", but the recording's folder belongs to user " +
                     std::to_string(folder_user_) +
                     ": creating new files in it may fail. Stop the recording and start a new one.";
  if (user == folder_user_) text.clear();
  user_ = user;
  if (!text.empty() && !std::exchange(reported_user_change_, true)) Note(text);
  {
    const std::lock_guard lock(stats_mutex_);
    user_change_ = std::move(text);
  }
  if (on_user_change_) on_user_change_();
}

void RecordingWriter::WriteNotes() {
  NoticeUser();
  if (segments_.last_error() != reported_error_) {
    reported_error_ = segments_.last_error();
    WriteNote({.text = reported_error_});
  }
  const std::lock_guard lock(notes_mutex_);
  for (const PendingNote& note : notes_) WriteNote(note);
  notes_.clear();
  WriteNotSeen();
}

void RecordingWriter::WriteNote(const PendingNote& note) {
  packets_.Write(wire::Packet::kRecorderNote, note.at_ns, [&](auto& out) {
    out.Set(out.kText, contract::RepairedUtf8(note.text));
    if (note.not_seen_ns != 0) out.Set(out.kNotSeenNs, note.not_seen_ns);
    if (!note.rule.empty()) out.Set(out.kRule, contract::RepairedUtf8(note.rule));
  });
}

void RecordingWriter::WriteNotSeen() {
  const uint64_t ns = not_seen_ns_.exchange(0, std::memory_order_relaxed);
  if (ns == 0) return;
  const uint64_t ms = ns / 1'000'000;
  WriteNote(
      {.text = "In the first " + std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) +
               " s, waits for locks, allocations, requests and GC details were not recorded, to "
               "keep process startup fast (events.from=start records them).",
       .not_seen_ns = ns});
}

}  // namespace hindsight::recorder
