#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/recording/info_report.h"
#include "analyzer/report/recording/recording_labels.h"

namespace hindsight::analyzer {
namespace {

Object<CutOrigin> CutFields() {
  return {
      {"name", "Folder or file of the whole recording", &CutOrigin::name},
      {"recording_id", "Id of the whole recording, 16 hex digits",
       [](auto& cut) { return FormatHex(cut.recording_id); }},
      {"is_kept", "Copied while the whole went on (hindsight-trigger keep): there is no span",
       &CutOrigin::is_kept},
      {"from_ns", "Start of the requested time range", &CutOrigin::from_ns},
      {"to_ns", "End of that range; null: the end of the whole recording", &CutOrigin::to_ns},
  };
}

Object<RecordedProcess> ProcessFields() {
  using P = RecordedProcess;
  return {
      {"application", "Name of the application", &P::application},
      {"pid", "Process id", &P::pid},
      {"host", "Name of the host", &P::host},
      {"command_line", "Its command line", &P::command_line},
      {"runtime_version", "Version of .NET", &P::runtime_version},
      {"architecture", "Its processor architecture", &P::architecture},
      {"os", "Kernel", &P::os},
      {"cpus", "Processors available to the process", &P::cpus},
      {"physical_memory_bytes", "Of the machine", &P::physical_memory_bytes},
      {"cgroup_memory_limit_bytes", "Of the container; 0: none", &P::cgroup_memory_limit_bytes},
      {"cgroup_cpu_limit", "Of the container, in CPUs; 0: none", &P::cgroup_cpu_limit},
      {"started_unix_ns", "Start of the process", &P::started_unix_ns},
      {"recording_started_unix_ns", "Start of the recording", &P::recording_started_unix_ns},
      {"mode", "How the recorder was loaded", kRecorderModes, &P::mode},
      {"recorder_version", "Version of the recorder", &P::recorder_version},
      {"cut", "What this recording was cut out of, later; null: it was not", CutFields(), &P::cut},
      {"sources", "What was recorded", &P::sources},
      {"options", "As given to the recorder", &P::options},
      {"user_data", "Kinds of user data in the recording", &P::user_data},
      {"environment_names", "Names of its variables; never their values", &P::environment_names},
      {"runtime_settings",
       "Variables that are settings of the runtime, if they are numbers: NAME=VALUE",
       &P::runtime_settings},
      {"open_files_limit", "How many files the process may open; 0: no limit, or not known",
       &P::open_files_limit},
  };
}

Object<RecordedCost, InfoView> CostFields() {
  using C = RecordedCost;
  return {
      {"callbacks", "How many", &C::callbacks},
      {"callback_ns", "Duration of the runtime's callbacks", &C::callback_ns},
      {"callbacks_measured", "Of them, by the thread's CPU clock", &C::callbacks_measured},
      {"is_cpu_time", "Whether application_cpu_ns is CPU time; older recordings have wall time",
       [](auto& cost) { return cost.parts.is_cpu_time; }},
      {"application_cpu_ns", "The recorder's CPU time on the application's threads",
       [](auto& cost) { return cost.parts.application_cpu_ns; }},
      {"thread_cpu_ns", "CPU time of the recorder's threads",
       [](auto& cost) { return cost.parts.own_cpu_ns; }},
      {"waited_ns",
       "Time the application's threads were descheduled in callbacks, or suspended for CPU samples",
       [](auto& cost) { return cost.parts.waited_ns; }},
      {"paused_ns", "Time the application was paused for snapshots",
       [](auto& cost) { return cost.parts.paused_ns; }},
      {"memory_bytes", "The recorder's memory", &C::memory_bytes},
      {"written_bytes", "Written to disk", &C::written_bytes},
      {"events", "How many", &C::events},
      {"stacks_fast", "Walked by learned rules", &C::stacks_fast},
      {"stacks_exact", "Walked by the runtime", &C::stacks_exact},
      {"stacks_verified", "Walked both ways", &C::stacks_verified},
      {"stacks_mismatched", "Verified walks that differed", &C::stacks_mismatched},
      {"cpu_samples", "How many", &C::cpu_samples},
      {"cpu_handler_ns",
       "Time that CPU samples took on their threads: in signal handlers; on Windows, suspended",
       &C::cpu_handler_ns},
      {"elapsed_ns", "Time range covered", &C::elapsed_ns},
      {"cpu_handler_histogram_250ns", "CPU samples by that time, in steps of 250 ns",
       &C::cpu_handler_histogram},
      {"cores", "CPU time over time; 1 is one core; null: unknown",
       [](auto&, auto& view) { return view.summary.CoresUsed(); }},
  };
}

Object<Requests> ServedFields() {
  return {
      {"started", "How many", &Requests::started},
      {"finished", "How many", &Requests::finished},
      {"failed", "Finished with an exception that reached the server", &Requests::failed},
      {"server_errors", "Answered with a status of 500 or more; null: not recorded",
       &Requests::server_errors},
      {"total_ns", "Total duration, requests in flight included", &Requests::total_ns},
  };
}

std::vector<std::pair<std::string, uint64_t>> PacketsByKind(const InfoView& view) {
  return {view.summary.packets.begin(), view.summary.packets.end()};
}

Object<InfoView, InfoView> InfoFields() {
  return {
      HeadFields("info"),
      {"recording", "null: heap snapshot files only", SummarizedRecordingFields(),
       [](auto& view) { return view.integrity.has_events ? &view.summary : nullptr; }},
      {"process", "The process; null: unknown", ProcessFields(),
       [](auto& view) -> decltype(auto) { return (view.summary.process); }},
      {"first_unix_ns", "The first thing recorded",
       [](auto& view) { return view.integrity.first_unix_ns; }},
      {"last_unix_ns", "The last thing recorded",
       [](auto& view) { return view.integrity.last_unix_ns; }},
      {"end", "How it ended; null: unknown", EndReasons(),
       [](auto& view) { return view.summary.end; }},
      {"closed_in_order", "Whether the files were closed cleanly",
       [](auto& view) { return view.integrity.closed_in_order; }},
      {"files", "How many", [](auto& view) { return view.integrity.files.size(); }},
      {"segments", "How many", [](auto& view) { return view.integrity.intact_segments; }},
      {"bytes", "Of all files", [](auto& view) { return view.integrity.total_bytes; }},
      {"packets", "Packets by kind", &PacketsByKind},
      {"unknown_packets", "Packets of a newer version, skipped",
       [](auto& view) { return view.integrity.unknown_packets; }},
      {"recorder_cost", "The recorder's own cost; null: unknown", CostFields(),
       [](auto& view) -> decltype(auto) { return (view.summary.cost); }},
      {"requests", "Requests served by an ASP.NET Core server; null: none", ServedFields(),
       [](auto& view) {
         return view.summary.requests.started > 0 ? &view.summary.requests : nullptr;
       }},
      {"lost_events", "Events lost, by cause",
       [](auto& view) { return LostEventsOf(view.summary); }},
      {"notes", "Sentences", [](auto& view) -> decltype(auto) { return (view.summary.notes); }},
      {"counted", "Which events have details; all are counted", CountedFields(),
       [](auto& view) -> decltype(auto) { return (view.summary.counted); }},
      {"heap_snapshots", "By number", HeapSnapshotFields(), [](auto& view) { return view.heaps; }},
      {"intact", "Whether nothing is missing or damaged",
       [](auto& view) { return view.integrity.intact() && view.summary.DroppedEvents() == 0; }},
  };
}

}  // namespace

std::string InfoJson(const InfoView& view) { return JsonOf(InfoFields(), view); }

SharedShape InfoShape() { return InfoFields().shape(); }

}  // namespace hindsight::analyzer
