#include "analyzer/report/waits/thread_stacks_report.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/waits/deadlock_verdict.h"
#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/waits/labelled_rows.h"

namespace hindsight::analyzer {
namespace {

using Trigger = ThreadSnapshot::Trigger;
using Problem = ThreadProblem::Kind;

constexpr Named<Trigger> kTriggers[] = {{Trigger::kRequested, "requested"},
                                        {Trigger::kPeriodic, "periodic"},
                                        {Trigger::kNoProgress, "no progress"},
                                        {Trigger::kHeap, "heap"},
                                        {Trigger::kLast, "last"},
                                        {Trigger::kFirst, "first"},
                                        {Trigger::kUnknown, "unknown"}};
constexpr Named<ThreadRunState> kStates[] = {{ThreadRunState::kRunning, "running"},
                                             {ThreadRunState::kSleeping, "sleeping"},
                                             {ThreadRunState::kBlocked, "blocked"},
                                             {ThreadRunState::kStopped, "stopped"},
                                             {ThreadRunState::kUnknown, "unknown"}};
constexpr Named<Problem> kProblems[] = {{Problem::kLeak, "thread leak"},
                                        {Problem::kForeground, "foreground"},
                                        {Problem::kFinalizer, "finalizer"},
                                        {Problem::kFull, "full collection"},
                                        {Problem::kZombie, "zombie"}};

std::string At(int64_t ns) { return FormatDuration(ns < 0 ? 0 : static_cast<uint64_t>(ns)); }

// Of the thread that has been there for the shortest time.
uint64_t LeastUnchanged(std::span<const StackThread> threads) {
  return threads.empty() ? 0 : threads.back().unchanged_ns;
}

std::string Evidence(const ThreadProblem& problem) {
  const std::string stood = "not run for " + FormatDuration(LeastUnchanged(problem.threads)) +
                            " or more, in a wait " +
                            (problem.endless ? "without a timeout" : "that has lasted so long");
  switch (problem.kind) {
    case ThreadProblem::Kind::kZombie:
      return Plural(problem.threads.size(), "thread") + " in one place: " + stood +
             ". Idle worker threads look the same.";
    case ThreadProblem::Kind::kLeak:
      if (problem.started_over_ns > 0) {
        return Plural(problem.threads.size(), "thread") + " started at one place over " +
               FormatDuration(problem.started_over_ns) + ", up to the end; all wait, and " +
               FormatCount(problem.ended) + (problem.ended == 1 ? " has" : " have") + " ended.";
      }
      return Plural(problem.threads.size(), "thread") + " started at one place are alive, and " +
             FormatCount(problem.ended) + (problem.ended == 1 ? " has" : " have") +
             " ended: " + stood + ".";
    case ThreadProblem::Kind::kForeground:
      return "Main has returned, unless the program hosts the runtime itself. These threads are "
             "still alive: " +
             stood + ". Whether they are foreground threads is not recorded.";
    case ThreadProblem::Kind::kFinalizer:
      return "It has " + stood + ". No other object is finalized meanwhile.";
    case ThreadProblem::Kind::kFull:
      return Plural(problem.threads.size(), "thread") + " in BlockingCollection.Add: " + stood +
             ". It is full, and nothing is taken from it.";
  }
  return {};
}

class ThreadStacksTextWriter {
 public:
  ThreadStacksTextWriter(const ThreadStackReport& report, const Model& model,
                         const ThreadStacksTextOptions& options, const TextStyle& style)
      : report_(report),
        model_(model),
        options_(options),
        style_(style),
        names_(model.dictionaries),
        kinds_(model) {}

  std::string Write();

 private:
  std::string Names(std::span<const StackThread> threads) const;
  void Problem(size_t rank, const ThreadProblem& problem);
  void Stack(const ThreadStack& stack);
  std::string NoProblem() const;

  const ThreadStackReport& report_;
  const Model& model_;
  const ThreadStacksTextOptions& options_;
  const TextStyle& style_;
  const MethodNames names_;
  FrameKinds kinds_;
  std::string out_;
};

// As many names as fit on the row, at least one, and the number of the others.
std::string ThreadStacksTextWriter::Names(std::span<const StackThread> threads) const {
  const auto more = [&](size_t shown) {
    return shown == threads.size() ? "" : " and " + FormatCount(threads.size() - shown) + " more";
  };
  std::string text;
  for (size_t i = 0; i < threads.size(); ++i) {
    const ThreadInfo& thread = model_.threads[threads[i].thread];
    const std::string_view name = model_.dictionaries.String(thread.name);
    std::string next = std::to_string(thread.os_id);
    if (!name.empty()) next = Printable(name) + " (" + next + ")";
    if (i > 0) next = text + ", " + next;
    if (i > 0 && next.size() + more(i + 1).size() > RowWidth(style_)) return text + more(i);
    text = std::move(next);
  }
  return text;
}

void ThreadStacksTextWriter::Problem(size_t rank, const ThreadProblem& problem) {
  const std::string count = Plural(problem.threads.size(), "thread");
  std::string heading;
  switch (problem.kind) {
    case ThreadProblem::Kind::kZombie:
      heading = count + " idle or stuck forever";
      break;
    case ThreadProblem::Kind::kLeak:
      heading = count + " started at one place and never ending";
      break;
    case ThreadProblem::Kind::kForeground:
      heading = count + " that may keep the process from exiting";
      break;
    case ThreadProblem::Kind::kFinalizer:
      heading = "The finalizer thread is blocked";
      break;
    case ThreadProblem::Kind::kFull:
      heading = count + " waiting for room in a full collection";
      break;
  }
  out_ += Paint(style_, Tone::kBad, std::to_string(rank) + ". " + heading) + "\n";
  AppendRow(out_, style_, "threads", Names(problem.threads));
  AppendStack(out_, style_, "now in", names_, kinds_, model_.dictionaries.Path(problem.stack),
              options_.frames);
  if (problem.creator != 0) {
    AppendStack(out_, style_, "started in", names_, kinds_,
                model_.dictionaries.Path(problem.creator), options_.frames);
  }
  out_ += "    " + Wrap(Evidence(problem), style_.width - 4, 4) + "\n\n";
}

void ThreadStacksTextWriter::Stack(const ThreadStack& stack) {
  uint64_t ran_ns = 0;
  size_t unchanged = 0;
  for (const StackThread& thread : stack.threads) {
    ran_ns += thread.ran_ns.value_or(0);
    unchanged += thread.unchanged_ns > 0;
  }
  std::string heading = Plural(stack.threads.size(), "thread");
  if (unchanged == stack.threads.size()) {
    const std::string least = FormatDuration(LeastUnchanged(stack.threads));
    const std::string most = FormatDuration(stack.threads.front().unchanged_ns);
    heading += ", unchanged for " + least;
    if (least != most) heading += " to " + most;
  } else {
    if (ran_ns > 0) {
      heading += ", " + FormatDuration(ran_ns) + " of CPU time since the previous snapshot";
    }
    if (unchanged > 0) {
      heading += "; " + FormatCount(unchanged) + (unchanged == 1 ? " has" : " have") +
                 " not run since then";
    }
  }
  out_ += "  " + Paint(style_, Tone::kStrong, heading) + "\n";
  AppendRow(out_, style_, "threads", Names(stack.threads));
  if (stack.path.empty()) {
    AppendRow(out_, style_, "stack", "no managed frame");
  } else {
    AppendStack(out_, style_, "stack", names_, kinds_, stack.path, options_.frames);
  }
}

// Says "no deadlock" only as far as thread snapshots can show that.
std::string ThreadStacksTextWriter::NoProblem() const {
  const SeenLockWaits waits = LockWaitsSeen(model_);
  if (!waits.standing.empty()) {
    return " " + Plural(waits.threads, "thread") + (waits.threads == 1 ? " waits" : " wait") +
           " for locks, the longest unchanged for " + FormatDuration(waits.longest_ns) +
           ": `hindsight deadlocks` shows who holds what.";
  }
  constexpr uint64_t kNeededNs = ThreadStackRules{}.unchanged_ns;
  const int64_t first_ns = model_.waits.snapshots.front().at_ns;
  const auto between =
      static_cast<uint64_t>(std::max<int64_t>(0, report_.snapshot->at_ns - first_ns));
  if (between < kNeededNs) {
    return " Detecting stuck and leaked threads takes snapshots " + FormatDuration(kNeededNs) +
           " apart; these are " + FormatDuration(between) + " apart.";
  }
  if (const std::string still = StillText(report_, names_); !still.empty()) {
    return " " + still + ": idle, or stuck.";
  }
  return " None is known to be stuck or leaked.";
}

std::string ThreadStacksTextWriter::Write() {
  if (report_.snapshot == nullptr) {
    out_ += model_.facts.waits_on
                ? "The recording has no thread snapshot.\n"
                : "Thread stacks were not recorded: record with `sources=+waits`.\n";
    return out_;
  }
  size_t rank = 0;
  for (const ThreadProblem& problem : report_.problems) Problem(++rank, problem);
  const ThreadSnapshot& snapshot = *report_.snapshot;
  std::string summary =
      "All threads at " + At(snapshot.at_ns) + ": " + Plural(snapshot.threads.size(), "thread") +
      " at " + Plural(report_.stacks.size(), "place") + " (" +
      Plural(model_.waits.snapshot_count, "snapshot") + ", " +
      FormatDuration(model_.waits.longest_snapshot_pause_ns) + " of pause at most).";
  if (report_.problems.empty()) {
    summary += model_.waits.snapshots.size() < 2
                   ? " One snapshot cannot show which threads have not run; more are needed."
                   : NoProblem();
  }
  out_ += Wrap(summary, style_.width, 0) + "\n\n";
  const size_t shown =
      options_.top == 0 ? report_.stacks.size() : std::min(options_.top, report_.stacks.size());
  for (const ThreadStack& stack : std::span(report_.stacks).first(shown)) Stack(stack);
  if (shown < report_.stacks.size()) {
    out_ += "  " +
            Paint(style_, Tone::kFaint,
                  Plural(report_.stacks.size() - shown, "more place") + ": --top 0 shows all") +
            "\n";
  }
  return out_;
}

Object<StackThread, ThreadReport> StackThreadFields() {
  return {
      {ThreadFields(),
       [](auto& thread, auto& report) {
         return ThreadRow{report.model, thread.thread};
       }},
      {"state", "What it does", kStates, &StackThread::state},
      {"cpu_ns", "CPU time since it began; null: unknown",
       [](auto& thread) { return IfKnown(thread.cpu_ns != 0, thread.cpu_ns); }},
      {"ran_ns", "Part of it since the previous snapshot; null: unknown", &StackThread::ran_ns},
      {"unchanged_ns", "Time without running", &StackThread::unchanged_ns},
  };
}

Object<ThreadStack, ThreadReport> ThreadStackFields() {
  return {
      {"count", "How many threads", [](auto& stack) { return stack.threads.size(); }},
      {"frames", "Methods, innermost first", StackAt(&ThreadStack::path)},
      {"threads", "The longest unchanged first", StackThreadFields(), &ThreadStack::threads},
  };
}

Object<ThreadProblem, ThreadReport> ThreadProblemFields() {
  return {
      {"kind", "What is wrong", kProblems, &ThreadProblem::kind},
      {"count", "How many threads", [](auto& problem) { return problem.threads.size(); }},
      {"frames", "Their stack; for a leak, where they were started", StackAt([](auto& problem) {
         return problem.creator != 0 ? problem.creator : problem.stack;
       })},
      {"stand_at", "Their stack", StackAt(&ThreadProblem::stack)},
      {"unchanged_ns", "Time without running, the least of all",
       [](auto& problem) { return LeastUnchanged(problem.threads); }},
      {"threads", "The longest unchanged first", ThreadFields(),
       [](auto& problem, auto& report) {
         std::vector<ThreadRow> rows;
         for (const StackThread& one : problem.threads) rows.push_back({report.model, one.thread});
         return rows;
       }},
      {"evidence", "Evidence, as sentences", &Evidence},
  };
}

Object<ThreadSnapshot> ThreadSnapshotFields() {
  return {
      {"number", "Its number", &ThreadSnapshot::number},
      {"trigger", "What triggered it", kTriggers, &ThreadSnapshot::trigger},
      {"at_ns", "When", &ThreadSnapshot::at_ns},
      {"threads", "How many threads are in it",
       [](auto& snapshot) { return snapshot.threads.size(); }},
      {"pause_ns", "Time the application was paused", &ThreadSnapshot::pause_ns},
  };
}

Object<Waits> ThreadSnapshotsFields() {
  return {
      {"count", "How many", &Waits::snapshot_count},
      {"pause_ns", "Time the application was paused", &Waits::snapshot_pause_ns},
      {"longest_pause_ns", "The longest pause", &Waits::longest_snapshot_pause_ns},
  };
}

}  // namespace

std::string ThreadStacksText(const ThreadStackReport& report, const Model& model,
                             const ThreadStacksTextOptions& options, const TextStyle& style) {
  return ThreadStacksTextWriter(report, model, options, style).Write();
}

Object<ThreadStackReport, ThreadReport> ThreadStackReportFields() {
  return {
      {"snapshot", "The newest thread snapshot, on which the rest is based; null: none",
       ThreadSnapshotFields(), &ThreadStackReport::snapshot},
      {"snapshots", "All of them", ThreadSnapshotsFields(),
       [](auto&, auto& report) -> const Waits& { return report.model->waits; }},
      {"stacks", "Stacks, most threads first", ThreadStackFields(), &ThreadStackReport::stacks},
      {"findings", "Findings, most threads first", ThreadProblemFields(),
       &ThreadStackReport::problems},
  };
}

}  // namespace hindsight::analyzer
