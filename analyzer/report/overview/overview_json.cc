#include <optional>
#include <span>
#include <string>

#include "analyzer/model/process_memory.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/overview/overview_report.h"

namespace hindsight::analyzer {
namespace {

bool IsComplete(const OverviewPage& page) {
  const Reports& reports = *page.reports;
  if (!page.damages.empty()) return false;
  if (reports.heap && !reports.heap->model.graph.facts.complete()) return false;
  if (!reports.events) return true;
  const Model& model = reports.events->model;
  if (model.facts.end == EndReason::kBrokeOff) return false;
  const Losses& losses = model.losses;
  return losses.DroppedEvents() == 0 && losses.segments == 0 && losses.damaged_bytes == 0 &&
         losses.dangling == 0;
}

// From the events or, if there are none, from the newest snapshot.
struct ProcessRow {
  std::string application, host, runtime;
  uint32_t pid = 0;
  double cpus = 0;
  std::vector<std::string> sources;
};

ProcessRow ProcessOf(const OverviewPage& page) {
  if (page.reports->events) {
    const RecordingFacts& facts = page.reports->events->model.facts;
    return {facts.application, facts.host, facts.runtime_version,
            facts.pid,         facts.cpus, facts.sources};
  }
  const HeapModel& heap = page.reports->heap->model;
  return {heap.application, heap.host, heap.runtime_version, heap.pid, 0, {}};
}

Object<ProcessRow> ProcessFields() {
  return {
      {"application", "Name of the application", &ProcessRow::application},
      {"pid", "Process id", &ProcessRow::pid},
      {"host", "Name of the host", &ProcessRow::host},
      {"runtime", "Version of the runtime", &ProcessRow::runtime},
      {"cpus", "Processors available to the process; null: unknown",
       [](auto& process) { return IfKnown(process.cpus > 0, process.cpus); }},
      {"sources", "What was recorded", &ProcessRow::sources},
  };
}

Object<ProcessMemory> MemoryFields() {
  return {
      {"first_bytes", "Resident, at the start of the recording", &ProcessMemory::first_bytes},
      {"last_bytes", "At its end", &ProcessMemory::last_bytes},
      {"most_bytes", "The most in between", &ProcessMemory::most_bytes},
      {"first_files", "Open files, sockets and pipes at the start; 0: not counted",
       &ProcessMemory::first_files},
      {"last_files", "At the end", &ProcessMemory::last_files},
      {"most_files", "The most in between", &ProcessMemory::most_files},
  };
}

Object<RecorderFacts> RecorderCostFields() {
  return {
      {"cores", "Average cores used",
       [](auto& cost) {
         return static_cast<double>(cost.cpu_ns) / static_cast<double>(cost.elapsed_ns);
       }},
      {"memory_bytes", "The recorder's memory", &RecorderFacts::memory_bytes},
      {"written_bytes", "Written to disk", &RecorderFacts::written_bytes},
  };
}

const RecorderFacts* RecorderCost(const OverviewPage& page) {
  if (!page.reports->events) return nullptr;
  const RecorderFacts& cost = page.reports->events->model.recorder;
  return cost.elapsed_ns > 0 ? &cost : nullptr;
}

Object<OverviewPage> HealthFields() {
  return {
      {"complete", "Whether it is complete", &IsComplete},
      {"damages", "Sentences on what could not be read", &OverviewPage::damages},
      {"recorder", "The recorder's own cost; null: unknown", RecorderCostFields(), &RecorderCost},
  };
}

Object<Finding, OverviewPage> FindingFields() {
  return {
      {"severity", "How bad", Severities(), &Finding::severity},
      {"signal", "What it is about", [](auto& finding) { return SignalName(finding.signal); }},
      {"kind", "Which kind, for programs: lock-cycle", &Finding::kind},
      {"subject", "The type, method or thread", &Finding::subject},
      {"title", "The finding, in one line", &Finding::title},
      {"evidence", "A line", &Finding::evidence},
      {"command", "The command that shows more",
       [](auto& finding, auto& page) { return CommandOf(finding, page.paths); }},
      {"impact", "Impact, 0 to 1", &Finding::impact},
      {"is_doubt", "Whether it is a note that may be a problem", &Finding::is_doubt},
  };
}

OneOf<Coverage::State> CoverageStates() {
  using State = Coverage::State;
  return {
      &CoverageName,
      {State::kFound, State::kHealthy, State::kPartly, State::kNotRecorded, State::kNothingThere}};
}

Object<Coverage> CoverageFields() {
  return {
      {"signal", "What it is about", [](auto& one) { return SignalName(one.signal); }},
      {"state", "What was found", CoverageStates(), &Coverage::state},
      {"looked_at", "A clause", &Coverage::looked_at},
      {"note", "What could not be examined; empty: nothing", &Coverage::note},
  };
}

const Model* EventsOf(const OverviewPage& page) {
  return page.reports->events ? &page.reports->events->model : nullptr;
}

std::optional<ProcessMemory> MemoryOf(const OverviewPage& page) {
  const Model* const model = EventsOf(page);
  return model != nullptr ? ProcessMemoryOf(model->memory) : std::nullopt;
}

const HeapFacts* NewestSnapshot(const OverviewPage& page) {
  return page.reports->heap ? &page.reports->heap->model.graph.facts : nullptr;
}

Object<OverviewPage, OverviewPage> OverviewFields() {
  return {
      HeadFields("summary"),
      {"process", "The process", ProcessFields(), &ProcessOf},
      {"recording", "null: heap snapshot files only", RecordingFields(), &EventsOf},
      {"ended", "How the recording ended, as a clause; empty: heap snapshot files only",
       [](auto& page) { return EventsOf(page) == nullptr ? "" : EndClause(*EventsOf(page)); }},
      {"snapshot", "The newest; null: none", HeapSnapshotFields(), &NewestSnapshot},
      {"memory", "Of the process; null: not measured", MemoryFields(), &MemoryOf},
      {"health", "Quality of the recording", HealthFields()},
      {"healthy", "Whether nothing was found",
       [](auto& page) { return page.overview->is_healthy(); }},
      {"findings", "Findings, the worst first", FindingFields(),
       [](auto& page) -> const std::vector<Finding>& { return page.overview->findings; }},
      {"growth_unseen_in_ns",
       "Length of a recording that is too short to show slow growth; null: it is long enough, or "
       "the process ended",
       [](auto& page) {
         const uint64_t length_ns = page.overview->growth_unseen_in_ns;
         return IfKnown(length_ns != 0, length_ns);
       }},
      {"stillness",
       "Sentences, if hardly anything ran while it was recorded: the process is idle, or hangs; null: "
       "more did",
       [](auto& page) {
         const std::string& stillness = page.overview->stillness;
         return IfKnown(!stillness.empty(), stillness);
       }},
      {"coverage", "Coverage, by signal", CoverageFields(),
       [](auto& page) -> const std::vector<Coverage>& { return page.overview->coverage; }},
  };
}

}  // namespace

std::string OverviewJson(const OverviewPage& page) { return JsonOf(OverviewFields(), page); }

SharedShape OverviewShape() { return OverviewFields().shape(); }

}  // namespace hindsight::analyzer
