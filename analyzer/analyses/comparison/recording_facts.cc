#include "analyzer/analyses/comparison/recording_facts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "analyzer/analyses/exit_caller.h"
#include "analyzer/base/text.h"
#include "analyzer/model/process_age.h"

namespace hindsight::analyzer {
namespace {

bool IsRecorded(const Reports& reports, Signal signal) {
  const bool has_heap = reports.heap != nullptr;
  if (!reports.events) {
    return has_heap &&
           (signal == Signal::kHeap || signal == Signal::kTasks || signal == Signal::kDeadlocks);
  }
  const RecordingFacts& facts = reports.events->model.facts;
  switch (signal) {
    case Signal::kDeadlocks:
      return has_heap || facts.locks_on;
    case Signal::kTasks:
    case Signal::kHeap:
      return has_heap;
    case Signal::kThreads:
      return facts.threads_on;
    case Signal::kPool:
      return reports.events->pool.verdict != PoolReport::Verdict::kUnknown;
    case Signal::kExceptions:
      return facts.exceptions_on;
    case Signal::kPauses:
      return facts.gc_on;
    case Signal::kCpu:
      return facts.cpu_on;
    case Signal::kAllocations:
      return facts.allocations_on;
    case Signal::kLocks:
      return facts.locks_on;
    case Signal::kRequests:
      return reports.events->model.requests.has_kinds();
  }
  return false;
}

// For signals that show a single moment: whether there is nothing to examine.
bool IsEmpty(const Reports& reports, Signal signal) {
  switch (signal) {
    case Signal::kDeadlocks:
      return reports.deadlocks.looked_at.blocked_threads + reports.deadlocks.looked_at.locks == 0;
    case Signal::kTasks:
      return reports.heap->tasks.unfinished == 0;
    case Signal::kPool:
      return reports.events->model.waits.samples.empty() &&
             reports.events->model.waits.adjustments.empty();
    default:
      return false;
  }
}

// By route or not.
bool CountsRequests(const Reports& reports) {
  return reports.events && reports.events->model.facts.requests_on;
}

// Empty: unknown.
std::string CollectorOf(const GcReport& report) {
  return report.is_server ? "Server GC" : report.is_workstation ? "Workstation GC" : "";
}

// Settings from the environment that only one of them has, or with another value. The one that lets
// the recorder see what is inlined does not count.
std::string OnlyIn(const RecordingFacts& one, const RecordingFacts& other) {
  std::string text;
  for (const std::string& setting : one.runtime_settings) {
    if (std::ranges::binary_search(other.runtime_settings, setting)) continue;
    if (setting.starts_with("DOTNET_RichDebugInfo=")) continue;
    text += (text.empty() ? "" : ", ") + setting;
  }
  return text.empty() ? "none" : text;
}

void CompareProcesses(const EventReports& before, const EventReports& after,
                      std::vector<std::string>& notes) {
  const RecordingFacts& a = before.model.facts;
  const RecordingFacts& b = after.model.facts;
  const auto differ = [&](std::string_view what, const std::string& left,
                          const std::string& right) {
    if (left.empty() || right.empty() || left == right) return;
    notes.push_back(std::string(what) + ": " + left + " and " + right + ".");
  };
  differ("The recordings are of different applications", a.application, b.application);
  differ("The processes ran on different versions of .NET", a.runtime_version, b.runtime_version);
  differ("The processes ran on different machines", a.host, b.host);
  differ("The garbage collectors differ", CollectorOf(before.gc), CollectorOf(after.gc));
  differ("Settings of the runtime differ", OnlyIn(a, b), OnlyIn(b, a));
  if (a.started_unix_ns > b.started_unix_ns && b.started_unix_ns != 0) {
    notes.push_back("The first recording is newer than the second.");
  }
}

void NoteShort(const char* which, const Model& model, const ComparisonRules& rules,
               std::vector<std::string>& notes) {
  const uint64_t length_ns = model.facts.length_ns();
  if (static_cast<double>(length_ns) / 1e9 >= rules.short_seconds) return;
  notes.push_back(std::string(which) + " recording is short (" + FormatDuration(length_ns) +
                  "): only large differences are distinguishable from chance.");
}

void NoteProcessors(const char* which, const ProcessorWait& wait, std::vector<std::string>& notes) {
  if (!wait.delays_work()) return;
  notes.push_back("In the " + std::string(which) +
                  " recording, threads waited for a processor: " + ProcessorWaitText(wait) +
                  ". Its waits, pauses and requests took longer for that.");
}

void NoteLosses(const char* which, const Model& model, std::vector<std::string>& notes) {
  if (model.losses.DroppedEvents() + model.losses.segments == 0) return;
  notes.push_back(std::string(which) + " recording lost events: its counts are too low.");
}

// Whether it is all of the life of a program that ends when its work is done.
bool IsWholeRun(const Model& model, const ComparisonRules& rules) {
  const std::optional<uint64_t> age_ns = AgeAtStart(model.facts);
  const auto left_out_ns = static_cast<uint64_t>(model.facts.begin_ns());
  return age_ns && *age_ns + left_out_ns <= rules.start_of_run_ns && EndedByItself(model);
}

}  // namespace

Work WorkOf(const Model& model, Per per) {
  Work work{.per = per};
  int64_t last_ns = model.facts.last_ns;
  for (const CpuSample& sample : model.samples.cpu.samples) {
    last_ns = std::max(last_ns, sample.at_ns);
  }
  work.slices = TimeSlices(model.facts.begin_ns(), last_ns);
  work.cpu_seconds = static_cast<double>(model.samples.cpu.cpu_ns) / 1e9;
  work.requests = static_cast<double>(model.requests.finished);
  return work;
}

// A server must not be judged by its load, nor a batch job by how much of the machine it got.
Per UsualPer(const Model* before, const Model* after, const ComparisonRules& rules) {
  if (before != nullptr && after != nullptr && IsWholeRun(*before, rules) &&
      IsWholeRun(*after, rules)) {
    return Per::kNothing;
  }
  const auto has_many = [&rules](const Model* model) {
    return model != nullptr && model->requests.finished >= rules.many_requests;
  };
  return has_many(before) && has_many(after) ? Per::kRequest : Per::kSecond;
}

std::vector<std::string> NotesOn(const Reports& before, const Reports& after,
                                 const ComparisonRules& rules) {
  std::vector<std::string> notes;
  if (!before.events || !after.events) return notes;
  const Model& a = before.events->model;
  const Model& b = after.events->model;
  CompareProcesses(*before.events, *after.events, notes);
  NoteShort("The first", a, rules, notes);
  NoteShort("The second", b, rules, notes);
  NoteProcessors("first", before.events->pool.processors, notes);
  NoteProcessors("second", after.events->pool.processors, notes);
  NoteLosses("The first", a, notes);
  NoteLosses("The second", b, notes);
  if (a.requests.has_kinds() != b.requests.has_kinds()) {
    notes.push_back(std::string("Only the ") + (a.requests.has_kinds() ? "first" : "second") +
                    " recording has requests by route (requests.routes=on): whether a route got "
                    "slower, or fails more often, was not seen.");
  }
  if (WorkOf(a, rules.per).Scale() == 0 || WorkOf(b, rules.per).Scale() == 0) {
    notes.push_back(rules.per == Per::kRequest ? "One recording has no requests, so nothing can be "
                                                 "compared per request; compare per second."
                    : rules.per == Per::kCpu
                        ? "One recording has no CPU time, so nothing can be compared per CPU "
                          "second; compare per second."
                        : "One recording has no duration: its events cannot be compared.");
  }
  return notes;
}

bool AreOfOneBuild(const Model& before, const Model& after) {
  // Code that is generated in memory gets another one in each process.
  const auto has_file = [](const Dictionaries& dictionaries, const Module& module) {
    return dictionaries.String(module.path).find_first_of("/\\") != std::string_view::npos;
  };
  std::map<std::string_view, std::set<std::string_view>> builds;  // by assembly
  for (ModuleId id = 1; id < before.dictionaries.modules(); ++id) {
    const Module& module = before.dictionaries.module(id);
    if (module.mvid.empty() || !has_file(before.dictionaries, module)) continue;
    builds[before.dictionaries.String(module.assembly)].insert(module.mvid);
  }
  bool is_known = false;
  for (ModuleId id = 1; id < after.dictionaries.modules(); ++id) {
    const Module& module = after.dictionaries.module(id);
    if (module.mvid.empty() || !has_file(after.dictionaries, module)) continue;
    const auto known = builds.find(after.dictionaries.String(module.assembly));
    if (known == builds.end()) continue;
    if (!known->second.contains(module.mvid)) return false;
    is_known = true;
  }
  return is_known;
}

std::vector<Signal> RecordedOnlyIn(const Reports& one, const Reports& other) {
  std::vector<Signal> only;
  for (size_t i = 0; i < kComparedSignals; ++i) {
    const auto signal = static_cast<Signal>(i);
    if (IsRecorded(one, signal) && !IsRecorded(other, signal)) only.push_back(signal);
  }
  return only;
}

std::vector<Coverage> CoverageOf(const Reports& before, const Reports& after) {
  std::vector<Coverage> all;
  for (size_t i = 0; i < kComparedSignals; ++i) {
    Coverage coverage;
    coverage.signal = static_cast<Signal>(i);
    const bool in_before = IsRecorded(before, coverage.signal);
    const bool in_after = IsRecorded(after, coverage.signal);
    if (!in_before || !in_after) {
      coverage.state = Coverage::State::kNotRecorded;
      // The number and the mean of all requests may still be known.
      const bool is_by_route =
          coverage.signal == Signal::kRequests && (CountsRequests(before) || CountsRequests(after));
      coverage.note = is_by_route ? "By route " : "";
      coverage.note += in_before  ? "only in the first recording."
                       : in_after ? "only in the second recording."
                                  : "in neither recording.";
      coverage.note[0] = static_cast<char>(std::toupper(coverage.note[0]));
    } else if (IsEmpty(before, coverage.signal) && IsEmpty(after, coverage.signal)) {
      coverage.state = Coverage::State::kNothingThere;
    }
    all.push_back(std::move(coverage));
  }
  return all;
}

}  // namespace hindsight::analyzer
