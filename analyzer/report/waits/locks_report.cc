#include "analyzer/report/waits/locks_report.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"
#include "analyzer/model/how_to_record.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/exception_sentences.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/path_variants.h"
#include "analyzer/report/waits/labelled_rows.h"
#include "analyzer/report/waits/locks_fields.h"

namespace hindsight::analyzer {
namespace {

std::string KindOf(const WaitPlace& place) {
  return std::string(WaitName(place.group.kind, place.call.kind));
}

// "wait" or "waits", as many as there are.
std::string Waits(uint64_t count) { return Plural(count, "wait"); }

class LocksTextWriter {
 public:
  LocksTextWriter(const LockReport& report, const LocksTextOptions& options)
      : report_(report), options_(options), style_(options.style), kinds_(*report.model) {}

  std::string Write();

 private:
  size_t Shown(size_t rows) const {
    return options_.top == 0 ? rows : std::min(options_.top, rows);
  }
  std::string Name(MethodId method) const { return Printable(report_.names.Display(method)); }
  std::string Thread(uint32_t thread) const {
    return Printable(ThreadLabel(*report_.model, thread));
  }

  void Sentence(Tone tone, const std::string& text) {
    out_ += "    " + Paint(style_, tone, Wrap(text, style_.width - 4, 4)) + "\n";
  }
  void Summary();
  uint64_t TaskWaitsNs() const;  // of threads that block on them
  void Place(size_t index);
  void OtherStacks(const WaitPlace& place);
  void SameLock(size_t place);
  void NotEnded(const WaitPlace& place);
  void More(size_t all, size_t shown, std::string_view what);
  void Foot();

  const LockReport& report_;
  const LocksTextOptions& options_;
  const TextStyle& style_;
  FrameKinds kinds_;
  std::string out_;
};

void LocksTextWriter::Summary() {
  const Model& model = *report_.model;
  out_ += Paint(style_, Tone::kStrong, "Locks of " + RecordingTitle(model.facts)) + "\n\n";
  if (report_.locks.empty() && model.facts.locks_on && model.losses.MayHideEvents()) {
    Sentence(Tone::kStrong,
             "No wait for a lock was recorded, but some may be among the lost events.");
    return;
  }
  const SeenLockWaits seen = LockWaitsSeen(model);
  if (report_.locks.empty() && seen.threads > 0) {
    Sentence(Tone::kBad, Plural(seen.threads, "thread") +
                             " waited for locks in the last thread snapshot, and " +
                             (seen.threads == 1 ? "it" : "they") +
                             " started before the recording did: unchanged for " +
                             FormatDuration(seen.longest_ns) +
                             ". `hindsight deadlocks` shows who holds what.");
    return;
  }
  if (report_.locks.empty() && model.facts.locks_on && model.waits.snapshots.empty()) {
    Sentence(Tone::kWarning,
             "No wait for a lock began during the recording. There is no thread snapshot, so "
             "earlier waits are unknown.");
    return;
  }
  if (report_.locks.empty()) {
    Sentence(Tone::kStrong, model.facts.locks_on
                                ? "No thread had to wait for a lock."
                                : "Waits were not recorded: " + HowToRecord(model.facts, "locks"));
    return;
  }
  Sentence(Tone::kStrong, Waits(report_.lock_waits) + " for locks in " +
                              Plural(report_.locks.size(), "place") + ", " +
                              FormatDuration(report_.lock_ns) + " in total.");
  if (report_.lock_open > 0) {
    Sentence(Tone::kBad, Waits(report_.lock_open) + " had not ended when the recording did.");
  }
}

uint64_t LocksTextWriter::TaskWaitsNs() const {
  uint64_t sum = 0;
  for (const WaitPlace& place : report_.signals) {
    if (place.is_for_task()) sum += place.total_ns();
  }
  return sum;
}

void LocksTextWriter::NotEnded(const WaitPlace& place) {
  if (place.open.empty()) return;
  const OpenWait& oldest = *place.open.front();
  std::string text = Thread(oldest.thread) + " has waited for " +
                     FormatDuration(place.longest_ns()) + " without getting it";
  if (place.open.size() > 1) {
    text += ", " + FormatCount(place.open.size() - 1) + " more with it";
  }
  if (oldest.owner != 0) {
    text += "; " + Thread(oldest.owner) + " held the " + KindOf(place) + " when that began";
  }
  Sentence(Tone::kBad, text + ".");
}

void LocksTextWriter::OtherStacks(const WaitPlace& place) {
  const size_t others = place.variants.size() - 1;
  if (others == 0) return;
  const WaitVariant& first = place.variants.front();
  AppendRow(out_, style_, "paths",
            FormatDuration(first.total_ns) + " on this path, " +
                FormatDuration(place.total_ns() - first.total_ns) + " on " +
                Plural(others, "other") + ":");
  std::vector<OtherPath> reported;
  for (const WaitVariant& other : std::span(place.variants).subspan(1)) {
    AddOtherPath(reported,
                 OtherPathText(report_.model->dictionaries, report_.names, place.path, other.path),
                 other.total_ns);
  }
  for (size_t i = 0; i < std::min(reported.size(), kOtherPathsInText); ++i) {
    AppendRow(out_, style_, "",
              FormatDuration(reported[i].amount) + " " + Printable(reported[i].text));
  }
}

// Other places that wait for the same lock.
void LocksTextWriter::SameLock(size_t place) {
  const auto lock =
      std::ranges::find_if(report_.contended, [place](const ContendedLock& contended) {
        return std::ranges::find(contended.places, place) != contended.places.end();
      });
  if (lock == report_.contended.end() || lock->places.size() == 1) return;
  AppendRow(out_, style_, "same lock",
            FormatDuration(lock->total_ns) + " in " + Waits(lock->count) + ", with:");
  size_t reported = 0;
  for (const size_t other : lock->places) {
    if (other == place) continue;
    if (reported++ == kOtherPathsInText) break;
    AppendRow(
        out_, style_, "",
        FormatDuration(report_.locks[other].total_ns()) + " in " + Name(report_.locks[other].site));
  }
}

void LocksTextWriter::Place(size_t index) {
  const WaitPlace& place = report_.locks[index];
  const std::string left = PadRight("#" + std::to_string(index + 1), 4);
  const std::string right = FormatDuration(place.total_ns()) + " in " + Waits(place.count());
  const size_t room = style_.width - left.size() - TextColumns(right) - 2;
  const std::string name = ShortenMiddle(style_, Name(place.site), room);
  out_ += "\n" + left + Paint(style_, Tone::kStrong, name) +
          PadLeft("", room - std::min(room, TextColumns(name)) + 2) + right + "\n";
  NotEnded(place);
  if (place.path.empty()) {
    AppendRow(out_, style_, "waits in", "native code, as a new thread does for its creator");
  } else {
    AppendStack(out_, style_, "waits in", report_.names, kinds_, place.path, options_.frames);
  }
  OtherStacks(place);
  AppendRow(out_, style_, "for a", KindOf(place));
  SameLock(index);
  const WaitGroup& group = place.group;
  if (group.count > 0) {
    AppendRow(out_, style_, "time",
              "mean " + FormatDuration(group.total_ns / group.count) + ", longest " +
                  FormatDuration(group.longest_ns) + " at " + FormatMoment(group.longest_at_ns));
  }
  const OpenWait* const open = place.open.empty() ? nullptr : place.open.front();
  const uint32_t owner = open != nullptr ? open->owner : group.longest_owner;
  const StackId owner_stack = open != nullptr ? open->owner_stack : group.longest_owner_stack;
  if (owner != 0) AppendRow(out_, style_, "held by", Thread(owner) + ", in the longest wait");
  if (owner_stack != 0) {
    AppendStack(out_, style_, "owner in", report_.names, kinds_,
                report_.model->dictionaries.Path(owner_stack), options_.frames);
  }
}

void LocksTextWriter::More(size_t all, size_t shown, std::string_view what) {
  if (all > shown) out_ += "  and " + Plural(all - shown, "more " + std::string(what)) + "\n";
}

void LocksTextWriter::Foot() {
  const Model& model = *report_.model;
  out_ += "\n";
  std::vector<std::string> notes = LossSentences(model);
  if (model.waits.counted > 0) {
    notes.insert(notes.begin(),
                 CountedSentence({.waits = model.waits.all, .counted_waits = model.waits.counted}));
  }
  for (const std::string& sentence : notes) {
    out_ += Paint(style_, Tone::kWarning, Wrap("Note: " + sentence, style_.width - 6, 6)) + "\n";
  }
  if (model.facts.runtime_version.starts_with("8.")) {
    out_ += Wrap(
                "Note: .NET 8 reports waits for monitors only; other locks, handles and signals "
                "are reported by .NET 9 and later.",
                style_.width - 6, 6) +
            "\n";
  }
  out_ += Paint(style_, Tone::kFaint,
                Wrap("`hindsight deadlocks` shows who waits for whom. --top 0 --frames 0 shows "
                     "everything.",
                     style_.width, 0)) +
          "\n";
}

std::string LocksTextWriter::Write() {
  Summary();
  const size_t top = options_.top;
  const auto other_waits = [this, top] {
    AppendTable(out_, style_, {"Other waits: work, signals, tasks", "place", top},
                WaitPlaceFields(), report_.signals, report_);
  };
  const uint64_t tasks_ns = TaskWaitsNs();
  const bool tasks_first = tasks_ns > report_.lock_ns;
  if (tasks_first) {
    Sentence(Tone::kStrong, "Threads waited longer for tasks: " + FormatDuration(tasks_ns) + ".");
    other_waits();
  }
  const size_t shown = Shown(report_.locks.size());
  for (size_t i = 0; i < shown; ++i) Place(i);
  More(report_.locks.size(), shown, "place");
  AppendTable(out_, style_, {"Locks, by number of waiters", "lock", top}, HotLockFields(),
              report_.hottest, report_);
  AppendTable(out_, style_, {"What owners were doing during long waits (sampled)", "place", top},
              LockHolderFields(), report_.holders, report_);
  if (!tasks_first) other_waits();
  Foot();
  return std::move(out_);
}

}  // namespace

std::string LockIdText(uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(id));
  return text;
}

std::string LocksText(const LockReport& report, const LocksTextOptions& options) {
  return LocksTextWriter(report, options).Write();
}

}  // namespace hindsight::analyzer
