#include "analyzer/exports/tables/tables.h"

#include <string>

#include "analyzer/base/text.h"
#include "analyzer/exports/application_build.h"
#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

using MaybeText = std::optional<std::string_view>;

struct RecordingRow {
  std::string id;
  MaybeText host, application;
  std::optional<uint32_t> pid;
  std::string build, sources, part_of;
  MaybeText runtime_version;
  std::optional<double> cpus;
  std::optional<uint64_t> started_unix_ns;
  std::optional<int64_t> first_ns, duration_ns;
  std::string_view ended = "unknown";
  std::optional<uint64_t> cpu_period_ns, cpu_ns, dropped_events;
  uint64_t lost_segments = 0;
};

SqlTable<RecordingRow> Recordings() {
  using Row = RecordingRow;
  return {
      "recordings",
      "One row per recording",
      TableSource::kEvents,
      0,
      {{"recording_id", "the id in its files, hexadecimal", &Row::id},
       {"host", "", &Row::host},
       {"application", "the entry assembly's name", &Row::application},
       {"pid", "", &Row::pid},
       {"build", "MVID of the entry assembly; identifies the build",
        [](auto& row) { return KnownText(row.build); }},
       {"runtime_version", "of .NET", &Row::runtime_version},
       {"cpus", "processors available to the process, container limit included", &Row::cpus},
       {"started_unix_ns", "time 0 of all at_ns, since 1970, UTC", &Row::started_unix_ns},
       {"first_ns", "first recorded time after the start", &Row::first_ns},
       {"duration_ns", "from first_ns to the last event", &Row::duration_ns},
       {"ended",
        "process_exit, stopped, duration_over, failed, cut, broke_off (killed or still "
        "recording), unknown",
        &Row::ended},
       {"sources", "enabled sources: cpu,gc,...", [](auto& row) { return KnownText(row.sources); }},
       {"cpu_period_ns", "CPU time between two samples of a thread", &Row::cpu_period_ns},
       {"cpu_ns", "CPU time of all samples", &Row::cpu_ns},
       {"dropped_events", "dropped by the recorder", &Row::dropped_events},
       {"lost_segments", "damaged or missing", &Row::lost_segments},
       {"part_of",
        "recording_id of the whole that this was cut out of (cut, keep); NULL: it is a whole one",
        [](auto& row) { return KnownText(row.part_of); }}}};
}

std::string SourcesOf(const RecordingFacts& facts) {
  std::string out;
  for (const std::string& source : facts.sources) out += (out.empty() ? "" : ",") + source;
  return out;
}

RecordingRow RowOf(const Model& model) {
  const RecordingFacts& facts = model.facts;
  const CpuProfile& cpu = model.samples.cpu;
  RecordingRow row;
  row.host = KnownText(facts.host);
  row.application = KnownText(facts.application);
  row.pid = Known(facts.pid);
  row.build = ApplicationBuild(model);
  row.runtime_version = KnownText(facts.runtime_version);
  if (facts.cpus > 0) row.cpus = facts.cpus;
  row.started_unix_ns = facts.started_unix_ns;
  row.first_ns = facts.first_ns;
  row.duration_ns = facts.last_ns - facts.first_ns;
  row.ended = EndName(facts.end);
  row.sources = SourcesOf(facts);
  if (facts.cpu_on) {
    row.cpu_period_ns = cpu.period_ns;
    row.cpu_ns = cpu.cpu_ns;
  }
  row.dropped_events = model.losses.DroppedEvents();
  if (facts.part_of != 0) row.part_of = FormatHex(facts.part_of);
  return row;
}

// Of a recording that only has heaps.
RecordingRow RowOf(const HeapModel& heap) {
  RecordingRow row;
  row.host = KnownText(heap.host);
  row.application = KnownText(heap.application);
  row.pid = Known(heap.pid);
  row.runtime_version = KnownText(heap.runtime_version);
  row.sources = "heap";
  return row;
}

}  // namespace

std::vector<TableSchema> RecordingTables() { return {Recordings()}; }

void WriteRecording(const TableParts& parts, TableWriter& writer) {
  TableRows<RecordingRow> rows(Recordings(), {}, writer);
  if (!rows || (parts.events == nullptr && parts.heap == nullptr)) return;
  RecordingRow row = parts.events != nullptr ? RowOf(*parts.events) : RowOf(*parts.heap);
  row.id = FormatHex(parts.recording_id);
  row.lost_segments = parts.lost_segments;
  rows.Add(row);
}

int64_t RecordingKey(uint64_t recording_id) {
  return static_cast<int64_t>(recording_id & ((uint64_t{1} << 53) - 1));
}

void WriteTables(const TableParts& parts, const TableNames& wanted, RowSink& sink) {
  TableWriter writer(sink, RecordingKey(parts.recording_id), wanted);
  NameTables names(parts.events);
  const RowContext context = {.model = parts.events, .names = &names};
  WriteRecording(parts, writer);
  if (parts.events != nullptr) {
    WriteThreads(context, writer);
    WriteSamples(context, writer);
    WriteExceptions(context, writer);
    WriteRequests(context, writer);
    WriteWaits(context, writer);
    WriteCollections(context, writer);
  }
  WriteHeaps(parts, context, writer);
  WriteAnalyses(parts, writer);
  names.Write(writer);
}

}  // namespace hindsight::analyzer
