#include <algorithm>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/described_table.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/table.h"
#include "analyzer/report/waits/labelled_rows.h"
#include "analyzer/report/waits/wall_fields.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {
namespace {

std::string_view Meaning(WallState state) {
  switch (state) {
    case WallState::kRunning:
      return "used a processor (`hindsight cpu` shows where)";
    case WallState::kReady:
      return "could run, but had no processor";
    case WallState::kLock:
      return "waited for a lock; `hindsight locks` shows who held it";
    case WallState::kTask:
      return "blocked on a task";
    case WallState::kSignal:
      return "waited for an event, a semaphore, a pulse, a thread";
    case WallState::kSleep:
      return "Thread.Sleep";
    case WallState::kNative:
      return "in the kernel or in native code, usually for I/O";
    case WallState::kIdle:
      return "pool workers without work, threads of the framework, Main";
    case WallState::kPaused:
      return "stopped by the runtime; `hindsight gc` shows why";
    case WallState::kUnknown:
      return "not covered by events or thread snapshots";
  }
  return {};
}

class WallTextWriter {
 public:
  WallTextWriter(const WallReport& report, const WallTextOptions& options)
      : report_(report), options_(options), style_(options.style) {}

  std::string Write() {
    const RecordingFacts& facts = report_.model->facts;
    out_ += Paint(style_, Tone::kStrong, "Wall-clock time of " + RecordingTitle(facts)) + "\n\n";
    if (!report_.is_seen) {
      Sentence(Tone::kWarning,
               facts.waits_on
                   ? "Not seen: this takes two thread snapshots. They are taken every 10 s, and at "
                     "the end of a recording; `waits.every=1s` takes more."
                   : "Not recorded: record with `sources=+waits,+locks,+cpu`.");
      return std::move(out_);
    }
    Summary();
    States();
    if (report_.lanes) {
      out_ += WallLanesText(report_, options_);
    } else {
      Places();
      Threads();
    }
    for (const std::string& loss : LossSentences(*report_.model)) {
      out_ += "\n" + Paint(style_, Tone::kWarning, Wrap(loss, style_.width, 0)) + "\n";
    }
    return std::move(out_);
  }

 private:
  size_t Shown(size_t rows) const {
    return options_.top == 0 ? rows : std::min(options_.top, rows);
  }

  void Sentence(Tone tone, const std::string& text) {
    out_ += "    " + Paint(style_, tone, Wrap(text, style_.width - 4, 4)) + "\n";
  }
  void Heading(const std::string& text) {
    out_ += "\n" + Paint(style_, Tone::kStrong, text) + "\n\n";
  }
  void More(size_t all, std::string_view what) {
    const size_t shown = Shown(all);
    if (shown == all) return;
    out_ += Paint(style_, Tone::kFaint,
                  "  and " + FormatCount(all - shown) + " more " + std::string(what) +
                      "; --top 0 shows all") +
            "\n";
  }

  void Summary() {
    const auto seen_ns = static_cast<uint64_t>(report_.to_ns - report_.from_ns);
    Sentence(Tone::kStrong, Plural(report_.threads.size(), "thread") + " in " +
                                FormatDuration(seen_ns) + ": " +
                                FormatDuration(report_.times.all()) + " of thread time, " +
                                FormatDuration(report_.times.not_idle()) + " of it not idle.");
    if (report_.stopped_ns > 0) {
      Sentence(Tone::kFaint,
               "All threads were stopped for " + FormatDuration(report_.stopped_ns) +
                   " of that: those that would have run were paused, others went on waiting.");
    }
  }

  void States() {
    out_ += "\n";
    Table table({{"time", Table::Align::kRight},
                 {"share", Table::Align::kRight},
                 {"state"},
                 {"what threads did", Table::Align::kLeft, true}});
    for (size_t i = 0; i < kWallStates; ++i) {
      const auto state = static_cast<WallState>(i);
      const uint64_t ns = report_.times[state];
      if (ns == 0) continue;
      table.AddRow({FormatDuration(ns), ShareText(PartOf(ns, report_.times.all())),
                    std::string(WallStateName(state)), std::string(Meaning(state))});
    }
    out_ += table.Render(style_, 2);
  }

  void Places() {
    Heading("Where threads waited, other than idle");
    if (report_.places.empty()) {
      Sentence(Tone::kStrong, "Nowhere, in the snapshots that were taken.");
      return;
    }
    const size_t shown = Shown(report_.places.size());
    out_ += TableOf(style_, WallPlaceFields(), report_.places, report_, shown);
    More(report_.places.size(), "places");
    out_ += "\n";
    std::string proved =
        "Proved: events report the wait, or the thread did not run at all between two snapshots.";
    if (const uint32_t snapshots = report_.model->waits.snapshot_count; snapshots > 0) {
      proved += " The rest is an estimate from " + Plural(snapshots, "snapshot") +
                "; `waits.every=1s` makes it better.";
    }
    Sentence(Tone::kFaint, proved);
    if (options_.stacks) Stacks(shown);
  }

  void Stacks(size_t shown) {
    FrameKinds kinds(*report_.model);
    for (size_t i = 0; i < shown; ++i) {
      const WallPlace& place = report_.places[i];
      out_ += "\n" + PadRight("#" + std::to_string(i + 1), 4) +
              Paint(style_, Tone::kStrong, WallPlaceText(place, report_)) + "\n";
      AppendStack(out_, style_, "stack", report_.names, kinds, place.path, options_.frames);
    }
  }

  void Threads() {
    Heading("By thread");
    out_ += TableOf(style_, WallThreadFields(), report_.threads, report_,
                    Shown(report_.threads.size()));
    More(report_.threads.size(), "threads");
  }

  const WallReport& report_;
  const WallTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

std::string WallText(const WallReport& report, const WallTextOptions& options) {
  return WallTextWriter(report, options).Write();
}

}  // namespace hindsight::analyzer
