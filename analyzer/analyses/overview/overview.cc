#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/analyses/frame_kind.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/analyses/overview/judges.h"
#include "analyzer/analyses/waits/blocking_calls.h"
#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/analyses/waits/signal_waits.h"
#include "analyzer/base/shell.h"
#include "analyzer/base/text.h"
#include "analyzer/model/how_to_record.h"

namespace hindsight::analyzer {
namespace {

// The order of causes among critical findings: what has run out makes everything else fail.
int CauseOf(const Finding& finding) {
  const bool is_limit = finding.kind == "open-files-limit" || finding.kind == kMemoryLimit;
  return is_limit ? -1 : static_cast<int>(finding.signal);
}

struct SignalRow {
  Signal signal;
  std::string_view name;
  Judge* judge;
  bool from_events;  // from events alone: then lost events may be what is missing
};

constexpr std::array<SignalRow, kSignals> kRows = {{
    {Signal::kDeadlocks, "deadlocks", JudgeDeadlocks, false},
    {Signal::kTasks, "tasks", JudgeTasks, false},
    {Signal::kThreads, "threads", JudgeThreads, true},
    {Signal::kPool, "pool", JudgePool, true},
    {Signal::kExceptions, "exceptions", JudgeExceptions, true},
    {Signal::kHeap, "heap", JudgeHeap, false},
    {Signal::kPauses, "pauses", JudgePauses, true},
    {Signal::kCpu, "cpu", JudgeCpu, true},
    {Signal::kAllocations, "allocations", JudgeAllocations, true},
    {Signal::kLocks, "locks", JudgeLocks, true},
}};

constexpr SignalRow kRequestsRow = {Signal::kRequests, "requests", JudgeRequests, true};

constexpr bool IndexedBySignal() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].signal) != i) return false;
  }
  return true;
}
static_assert(IndexedBySignal());

bool IsIll(const Finding& finding) { return finding.severity != Severity::kNote; }

bool ConcernsRequests(const Finding& finding) {
  return IsIll(finding) &&
         (finding.signal == Signal::kRequests || finding.kind == "failed-requests");
}

// Whether something that would show a problem may be missing, for whatever reason.
bool HasLostEvents(const Reports& reports) {
  if (!reports.events) return false;
  const Losses& losses = reports.events->model.losses;
  return losses.MayHideEvents() || losses.refused > 0;
}

bool BreaksOff(const Reports& reports) {
  return reports.events && reports.events->model.facts.end == EndReason::kBrokeOff;
}

bool IsGrowthOfMemory(const Finding& finding) {
  return finding.kind == kClimbingMemory || finding.kind == "heap-grows" ||
         finding.kind == kNativeMemory;
}

// Whether a source that the signal needs was enabled, but had not begun when the process ended.
bool EndedBefore(Signal signal, const Reports& reports) {
  const bool by_locks = signal == Signal::kPool || signal == Signal::kLocks;
  if (!reports.events || (!by_locks && signal != Signal::kAllocations)) return false;
  return EndedBefore(reports.events->model.facts, by_locks ? "locks" : "allocations");
}

void AddSentence(std::string& text, std::string_view sentence) {
  if (!text.empty()) text += ' ';
  text += sentence;
}

}  // namespace

std::string_view SignalName(Signal signal) {
  const auto row = static_cast<size_t>(signal);
  return row < kRows.size() ? kRows[row].name : kRequestsRow.name;
}

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kCritical:
      return "critical";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

std::string_view CoverageName(Coverage::State state) {
  switch (state) {
    case Coverage::State::kFound:
      return "found";
    case Coverage::State::kHealthy:
      return "healthy";
    case Coverage::State::kPartly:
      return "partly";
    case Coverage::State::kNotRecorded:
      return "not_recorded";
    case Coverage::State::kNothingThere:
      break;
  }
  return "nothing_there";
}

bool Overview::is_healthy() const { return std::none_of(findings.begin(), findings.end(), IsIll); }

const Finding* Overview::doubt() const {
  const auto found = std::ranges::find_if(findings, &Finding::is_doubt);
  return found == findings.end() ? nullptr : &*found;
}

std::string UnseenSignals(const Overview& overview) {
  using State = Coverage::State;
  std::string out;
  for (const Coverage& coverage : overview.coverage) {
    if (coverage.state != State::kPartly && coverage.state != State::kNotRecorded) continue;
    if (!out.empty()) out += ", ";
    out += SignalName(coverage.signal);
  }
  return out;
}

namespace {

// Whether all of the process stood still, but for what threads do in their pauses.
bool IsStill(const EventReports& events, const OverviewRules& rules) {
  const Model& model = events.model;
  const double work_items = static_cast<double>(events.pool.completed) / SecondsOf(model);
  return model.facts.cpu_on && model.facts.length_ns() >= rules.still_ns &&
         events.cpu.cores < rules.still_cores && events.exceptions.count == 0 &&
         model.requests.finished == 0 && work_items < rules.still_work_items;
}

// "Main waits for a task in Shop.Program.Run.": at the last look at the threads. Empty: unknown.
std::string WhereMainWaits(const Model& model) {
  if (model.waits.snapshots.empty()) return {};
  const auto& threads = model.waits.snapshots.back().threads;
  const auto main = std::ranges::find_if(threads, [&model](const ThreadInSnapshot& thread) {
    return model.IsMainThread(thread.thread);
  });
  if (main == threads.end()) return {};
  const std::vector<MethodId> path = model.dictionaries.Path(main->stack);
  FrameKinds kinds(model);
  const MethodId yours = kinds.InnermostYours(path);
  const std::string_view does = HolderDoes(BlockingCalls(model.dictionaries).Find(path).kind);
  // A host's Main waits for its end, which says nothing.
  const bool is_host = std::ranges::any_of(path, [&model](MethodId method) {
    const Dictionaries& names = model.dictionaries;
    return names.String(names.type(names.method(method).type).name)
        .starts_with("Microsoft.Extensions.Hosting.");
  });
  if (yours == 0 || does.empty() || is_host) return {};
  return "Main " + std::string(does) + " in " + MethodNames(model.dictionaries).Display(yours) +
         ".";
}

std::string StillnessOf(const Reports& reports) {
  const Model& model = reports.events->model;
  std::string out = "Hardly anything ran in " + FormatDuration(model.facts.length_ns()) +
                    ": the process is idle, or it hangs.";
  if (const std::string signals = WaitsForSignals(reports); !signals.empty()) {
    AddSentence(out, signals);
  } else if (const std::string main = WhereMainWaits(model); !main.empty()) {
    AddSentence(out, main);
  }
  if (reports.heap) {
    AddSentence(out, "`hindsight deadlocks`, `tasks` and `threads` show what it waits for.");
  } else if (MayStillRun(&model)) {
    AddSentence(out, "While it runs, `hindsight-trigger snapshot " +
                         std::to_string(model.facts.pid) + "` shows what it waits for.");
  }
  return out;
}

}  // namespace

Overview FindAll(const Reports& reports, const OverviewRules& rules) {
  Overview overview;
  const auto judge = [&](const SignalRow& row) {
    const size_t before = overview.findings.size();
    Coverage coverage = row.judge(reports, rules, overview.findings);
    coverage.signal = row.signal;
    for (size_t i = before; i < overview.findings.size(); ++i) {
      overview.findings[i].signal = row.signal;
    }
    const bool is_ill = std::any_of(overview.findings.begin() + static_cast<ptrdiff_t>(before),
                                    overview.findings.end(), IsIll);
    using State = Coverage::State;
    const bool is_unseen =
        coverage.state == State::kHealthy || coverage.state == State::kNothingThere;
    if (is_unseen && row.from_events && HasLostEvents(reports)) {
      const bool is_nothing = coverage.state == State::kNothingThere;
      coverage.state = State::kPartly;
      if (is_nothing) coverage.note.clear();
      AddSentence(coverage.note, is_nothing ? "Nothing was recorded, but events were lost."
                                            : "No problem in what was recorded, but events were "
                                              "lost.");
    }
    if (row.signal == Signal::kExceptions && is_unseen && !is_ill && BreaksOff(reports)) {
      if (coverage.state == State::kNothingThere) coverage.note = "No exception was recorded.";
      coverage.state = State::kPartly;
      AddSentence(coverage.note,
                  "What was thrown last may be missing, as the recording ends abruptly.");
    }
    if (coverage.state == State::kNotRecorded && EndedBefore(row.signal, reports)) {
      coverage.note = "The process ended too soon; `events.from=start` records its start.";
    }
    if (is_ill) coverage.state = State::kFound;
    overview.coverage.push_back(std::move(coverage));
  };
  for (const SignalRow& row : kRows) judge(row);
  if (reports.events && SeesRequests(reports.events->model)) judge(kRequestsRow);
  if (reports.events) {
    const size_t before = overview.findings.size();
    JudgeStalledRequests(reports.events->model, rules, overview.findings);
    if (overview.findings.size() == before) {
      JudgePiledUpRequests(reports, rules, overview.findings);
    }
  }
  if (reports.heap) JudgeEndedServices(reports.heap->tasks, overview.findings);
  // Other judges find that, too.
  if (std::ranges::any_of(overview.findings, ConcernsRequests)) {
    for (Coverage& coverage : overview.coverage) {
      if (coverage.signal == Signal::kRequests) coverage.state = Coverage::State::kFound;
    }
  }
  if (reports.events) {
    const RecordingFacts& facts = reports.events->model.facts;
    const bool is_run = IsShortRun(reports.events->model, rules);
    const bool shows = std::ranges::any_of(overview.findings, IsGrowthOfMemory);
    if (!is_run && !shows && facts.length_ns() < rules.growth_shows_ns) {
      overview.growth_unseen_in_ns = facts.length_ns();
    }
    if (IsStill(*reports.events, rules)) overview.stillness = StillnessOf(reports);
  }
  // What stops the service is reported in the order of causes: a starved pool comes after the
  // deadlock that blocks its workers.
  std::stable_sort(overview.findings.begin(), overview.findings.end(),
                   [](const Finding& a, const Finding& b) {
                     if (a.severity != b.severity) return a.severity < b.severity;
                     if (a.is_doubt != b.is_doubt) return a.is_doubt;
                     if (a.severity == Severity::kCritical && CauseOf(a) != CauseOf(b)) {
                       return CauseOf(a) < CauseOf(b);
                     }
                     return a.impact > b.impact;
                   });
  return overview;
}

std::string WaitsForSignals(const Reports& reports) {
  constexpr size_t kMost = 3;
  std::string out;
  if (!reports.heap) return out;
  const std::vector<SignalWait> signals = FindSignalWaits(reports.heap->waits);
  for (size_t i = 0; i < std::min(signals.size(), kMost); ++i) {
    AddSentence(out, SignalWaitText(signals[i]) + ".");
  }
  return out;
}

Coverage NotRecorded(std::string_view source) {
  Coverage coverage;
  coverage.state = Coverage::State::kNotRecorded;
  coverage.note = "Record with `sources=" + std::string(source) + "`.";
  return coverage;
}

Coverage NoSnapshot(const Reports& reports) {
  Coverage coverage;
  coverage.state = Coverage::State::kNotRecorded;
  const Model* const model = reports.events ? &reports.events->model : nullptr;
  coverage.note = MayStillRun(model)
                      ? "No heap snapshot: while the process runs, `hindsight-trigger snapshot " +
                            std::to_string(model->facts.pid) + "` takes one."
                      : "No heap snapshot: record with `heap.every=10m`.";
  return coverage;
}

std::string CommandWith(std::string_view command, std::string_view value) {
  return std::string(command) + ' ' + ShellWord(value);
}

bool IsShortRun(const Model& model, const OverviewRules& rules) {
  return model.facts.length_ns() < rules.growth_shows_ns && EndedByItself(model);
}

double SecondsOf(const Model& model) {
  return std::max(1e-9, static_cast<double>(model.facts.length_ns()) / 1e9);
}

std::string ShareText(const Share& share) {
  char text[48];
  std::snprintf(text, sizeof(text), "%.0f \xc2\xb1%.0f %%", share.value * 100, share.error * 100);
  return text;
}

std::string FormatRate(double rate) {
  if (rate >= 10) return FormatCount(static_cast<uint64_t>(rate + 0.5));
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), rate >= 0.1 ? "%.1f" : "%.2f", rate);
  return text.data();
}

}  // namespace hindsight::analyzer
