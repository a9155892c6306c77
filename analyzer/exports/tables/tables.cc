#include "analyzer/exports/tables/tables.h"

#include <string>

#include "analyzer/base/text.h"
#include "analyzer/exports/application_build.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

std::string SourcesOf(const RecordingFacts& facts) {
  std::string out;
  for (const std::string& source : facts.sources) out += (out.empty() ? "" : ",") + source;
  return out;
}

void WriteRecording(const TableParts& parts, TableWriter& writer) {
  if (!writer.Begin("recordings")) return;
  const std::string id = FormatHex(parts.recording_id);
  if (parts.events == nullptr) {
    if (parts.heap == nullptr) return;
    const HeapModel& heap = *parts.heap;
    writer.Row(id, KnownText(heap.host), KnownText(heap.application), Known(heap.pid), std::nullopt,
               KnownText(heap.runtime_version), std::nullopt, std::nullopt, std::nullopt, "unknown",
               "heap", std::nullopt, std::nullopt, std::nullopt, parts.lost_segments, std::nullopt);
    return;
  }
  const Model& model = *parts.events;
  const RecordingFacts& facts = model.facts;
  const CpuProfile& cpu = model.samples.cpu;
  const auto of_cpu = [&](uint64_t value) {
    return facts.cpu_on ? std::optional(value) : std::nullopt;
  };
  const std::optional<double> cpus = facts.cpus > 0 ? std::optional(facts.cpus) : std::nullopt;
  writer.Row(id, KnownText(facts.host), KnownText(facts.application), Known(facts.pid),
             KnownText(ApplicationBuild(model)), KnownText(facts.runtime_version), cpus,
             facts.started_unix_ns, facts.first_ns, facts.last_ns - facts.first_ns,
             EndName(facts.end), KnownText(SourcesOf(facts)), of_cpu(cpu.period_ns),
             of_cpu(cpu.cpu_ns), model.losses.DroppedEvents(), parts.lost_segments,
             facts.part_of == 0 ? std::nullopt : std::optional(FormatHex(facts.part_of)));
}

}  // namespace

int64_t RecordingKey(uint64_t recording_id) {
  return static_cast<int64_t>(recording_id & ((uint64_t{1} << 53) - 1));
}

void WriteTables(const TableParts& parts, const TableNames& wanted, RowSink& sink) {
  TableWriter writer(sink, RecordingKey(parts.recording_id), wanted);
  NameTables names(parts.events);
  WriteRecording(parts, writer);
  if (parts.events != nullptr) {
    WriteEventRows(*parts.events, names, writer);
    WriteWaitRows(*parts.events, names, writer);
  }
  WriteHeapRows(parts, names, writer);
  WriteAnalysisRows(parts, writer);
  names.Write(writer);
}

}  // namespace hindsight::analyzer
