#include "trigger/answers.h"

#include <charconv>
#include <optional>

#include "analyzer/fields/fields.h"
#include "analyzer/fields/json_schema.h"
#include "trigger/hresult.h"

namespace hindsight::trigger {
namespace {

using analyzer::If;
using analyzer::Object;
using analyzer::SharedShape;
using analyzer::Texts;
using contract::Reply;

std::optional<uint64_t> NumberOf(const Reply& reply, std::string_view key) {
  const std::string_view text = reply.Find(key);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Readers for fields of a reply: for those that are always present, and for others.
auto Number(std::string_view key) {
  return [key](const Reply& reply) { return NumberOf(reply, key).value_or(0); };
}
auto Text(std::string_view key) {
  return [key](const Reply& reply) { return reply.Find(key); };
}
auto NumberIfThere(std::string_view key) {
  return [key](const Reply& reply) {
    const std::optional<uint64_t> number = NumberOf(reply, key);
    return If{number.has_value(), number.value_or(0)};
  };
}
auto TextIfThere(std::string_view key) {
  return [key](const Reply& reply) {
    const std::string_view text = reply.Find(key);
    return If{!text.empty(), text};
  };
}

Object<Reply> StatisticsFields() {
  return {
      {"events", "Written so far", Number("events")},
      {"lost", "Dropped events", Number("lost")},
      {"written_bytes", "On disk", Number("written_bytes")},
      {"memory_bytes", "Memory of the recorder", Number("memory_bytes")},
      {"callback_ns", "Duration of callbacks on the application's threads", Number("callback_ns")},
      {"application_cpu_ns", "CPU time of the recorder on the application's threads",
       Number("application_cpu_ns")},
      {"thread_cpu_ns", "CPU time of the recorder's own threads", Number("thread_cpu_ns")},
      {"waited_ns",
       "Time the application's threads waited in the recorder or were paused for snapshots",
       Number("waited_ns")},
      {"cpu_samples", "Taken so far", Number("cpu_samples")},
      {"survivor_handles", "Allocated objects being tracked; absent: none",
       NumberIfThere("survivor_handles")},
      {"survivors_missed", "Allocated objects not tracked for lack of room",
       NumberIfThere("survivors_missed")},
  };
}

Object<Reply> StatusFields() {
  return {
      {"state", "What it does now",
       Texts{{"arming", "recording", "draining", "detaching", "closed"}}, Text("state")},
      {"mode", "How the recorder was loaded into the process", Texts{{"startup", "attach"}},
       Text("mode")},
      {"output", "The recording's folder, as the process sees it", Text("output")},
      {"options", "Of the recording, as HINDSIGHT_OPTIONS takes them", Text("options")},
      {"elapsed_ns", "Since its start", Number("elapsed_ns")},
      {"remaining_ns", "Time until it stops automatically; absent: it does not",
       NumberIfThere("remaining_ns")},
      StatisticsFields(),
      {"rules_fired", "How often rules (when=) fired; absent: there are no rules",
       NumberIfThere("rules_fired")},
      {"last_error", "The newest; absent: none", TextIfThere("last_error")},
      {"version", "Of the recorder", Text("version")},
  };
}

Object<Reply> ClosedFields() {
  return {
      {"output", "The recording's folder, as the process sees it", Text("output")},
      StatisticsFields(),
  };
}

Object<Reply> TakenFields() {
  return {
      {"snapshot", "Its number in the recording", Number("snapshot")},
      {"state", "Of a heap", Texts{{"complete", "incomplete"}}, TextIfThere("state")},
      {"path", "The file, as the process sees it", TextIfThere("path")},
      {"reason", "Why it is incomplete", TextIfThere("reason")},
      {"method", "How the heap was read", TextIfThere("method")},
      {"objects", "How many", NumberIfThere("objects")},
      {"object_bytes", "Their total", NumberIfThere("object_bytes")},
      {"wall_ns", "From the request to the end", NumberIfThere("wall_ns")},
      {"file_bytes", "On disk", NumberIfThere("file_bytes")},
      {"pause_ns", "Time the application was paused", Number("pause_ns")},
      {"pauses", "Of a heap: the pauses, with those that prepared it", NumberIfThere("pauses")},
      {"all_pauses_ns", "Their total", NumberIfThere("all_pauses_ns")},
      {"threads", "Examined", NumberIfThere("threads")},
      {"stopping_ns", "Part of the pause until all threads had stopped",
       NumberIfThere("stopping_ns")},
      {"output", "The recording's folder, as the process sees it", TextIfThere("output")},
  };
}

constexpr auto kTrue = [](const auto&) { return true; };

Object<Answered> AskedFields(std::string_view key, std::string_view meaning,
                             const Object<Reply>& reply) {
  return {
      {"ok", "true", kTrue},
      {"pid", "The process", &Answered::pid},
      {key, meaning, reply,
       [](const Answered& answered) {
         return If{answered.reply != nullptr, answered.reply};
       }},
  };
}

Object<Answered> StatusAnswerFields() {
  return AskedFields("status", "Of the recording; absent: the profiler is not Hindsight's own",
                     StatusFields());
}
Object<Answered> StopAnswerFields() {
  return AskedFields("recording", "That is complete now", ClosedFields());
}

Object<SnapshotAnswer> SnapshotAnswerFields() {
  return {
      {"ok", "Whether the snapshot is complete", &SnapshotAnswer::is_complete},
      {"pid", "The process", [](const SnapshotAnswer& answer) { return answer.answered.pid; }},
      {"snapshot", "What was taken", TakenFields(),
       [](const SnapshotAnswer& answer) -> const Reply& { return *answer.answered.reply; }},
  };
}

Object<KeepAnswer> KeepAnswerFields() {
  const Object<KeepAnswer> copy = {
      {"path", "Its folder: a recording",
       [](const KeepAnswer& answer) -> const std::string& { return answer.copy.path; }},
      {"files", "Numbered files in it", [](const KeepAnswer& answer) { return answer.copy.files; }},
      {"snapshots", "Heap snapshots in it", &KeepAnswer::snapshots},
      {"bytes", "On disk", [](const KeepAnswer& answer) { return answer.copy.bytes; }},
  };
  return {
      {"ok", "true", kTrue},
      {"pid", "The process", &KeepAnswer::pid},
      {"kept", "The copy", copy},
  };
}

Object<PullAnswer> PullAnswerFields() {
  const Object<CopiedRecording> recording = {
      {"path", "Its folder here", &CopiedRecording::path},
      {"files", "Files that were copied now; 0: there was nothing new", &CopiedRecording::files},
      {"bytes", "Of these files", &CopiedRecording::bytes},
  };
  return {
      {"ok", "true", kTrue},
      {"pid", "The process", &PullAnswer::pid},
      {"recordings", "All recordings that were found", recording, &PullAnswer::recordings},
  };
}

Object<ListedProcess> ListedFields() {
  return {
      {"pid", "The process", &ListedProcess::pid},
      {"user", "That it runs as", &ListedProcess::user},
      {"runtime", "Version of .NET; empty: unknown", &ListedProcess::runtime},
      {"recorded", "no, or the state of its recording; empty: unknown", &ListedProcess::recorded},
      {"command", "Command line", &ListedProcess::command},
      {"note", "Why something is unknown; empty: everything is known", &ListedProcess::note},
  };
}

Object<contract::Parameter> ParameterFields() {
  using contract::Parameter;
  return {
      {"name", "Of the option", &Parameter::name},
      {"default", "Where it is not specified", &Parameter::default_value},
      {"range", "What it takes", &Parameter::range},
      {"description", "What it does", &Parameter::description},
  };
}

Object<contract::SourceInfo> SourceFields() {
  using contract::SourceInfo;
  return {
      {"name", "For sources=", &SourceInfo::name},
      {"description", "What it records", &SourceInfo::description},
      {"cost", "Cost to the application", &SourceInfo::CostHere},
      {"on_by_default", "Whether it is on by default", &SourceInfo::IsOnByDefault},
      {"attach", "Whether it can be recorded after an attach", &SourceInfo::AllowedAfterAttach},
      {"parameters", "Its options", ParameterFields(), &SourceInfo::parameters},
  };
}

// A code of the program itself, or of an HRESULT.
struct ListedExitCode {
  TriggerExit code;
  std::string_view meaning;
  const HresultInfo* hresult = nullptr;
};

Object<ListedExitCode> ExitCodeFields() {
  const auto of_hresult = [](auto member) {
    return [member](const ListedExitCode& row) {
      using T = std::remove_cvref_t<decltype(row.hresult->*member)>;
      return row.hresult == nullptr ? If<T>() : If<T>{true, row.hresult->*member};
    };
  };
  return {
      {"exit_code", "Of the program",
       [](const ListedExitCode& row) { return static_cast<int>(row.code); }},
      {"meaning", "A clause or a sentence", &ListedExitCode::meaning},
      {"next", "What to do; only for HRESULT codes", of_hresult(&HresultInfo::next)},
      {"hresult", "The runtime's HRESULT; only for HRESULT codes", of_hresult(&HresultInfo::value)},
      {"name", "Of the HRESULT", of_hresult(&HresultInfo::name)},
  };
}

Object<Failure> FailureFields() {
  return {
      {"ok", "false", [](const Failure&) { return false; }},
      {"exit_code", "See hindsight-trigger exit-codes",
       [](const Failure& failure) { return static_cast<int>(failure.code); }},
      {"what", "What went wrong: a sentence, also printed to stderr", &Failure::what},
      {"next", "What to do, as a sentence; may be empty", &Failure::next},
  };
}

template <typename Row>
SharedShape ShapeOf(const Object<Row>& object) {
  return object.shape();
}

struct CommandAnswer {
  std::string_view command, description;
  SharedShape answer;
  bool is_list = false;  // of such answers; otherwise the command may also fail
};

// Sorted by name.
std::vector<CommandAnswer> Answers() {
  constexpr std::string_view kUnits = "Durations are nanoseconds, sizes bytes.";
  return {
      {"attach", kUnits, ShapeOf(StatusAnswerFields())},
      {"exit-codes", "All exit codes of hindsight-trigger.", ShapeOf(ExitCodeFields()), true},
      {"keep", kUnits, ShapeOf(KeepAnswerFields())},
      {"list", "The .NET processes visible to this user.", ShapeOf(ListedFields()), true},
      {"pull", kUnits, ShapeOf(PullAnswerFields())},
      {"snapshot",
       "Durations are nanoseconds, sizes bytes. With --threads: number, threads and pause of the "
       "thread snapshot.",
       ShapeOf(SnapshotAnswerFields())},
      {"sources", "What can be recorded, and what it costs.", ShapeOf(SourceFields()), true},
      {"status", kUnits, ShapeOf(StatusAnswerFields())},
      {"stop", kUnits, ShapeOf(StopAnswerFields())},
  };
}

}  // namespace

std::string StatusJson(const Answered& answered) { return JsonOf(StatusAnswerFields(), answered); }

std::string StopJson(const Answered& answered) { return JsonOf(StopAnswerFields(), answered); }

std::string SnapshotJson(const SnapshotAnswer& answer) {
  return JsonOf(SnapshotAnswerFields(), answer);
}

std::string KeepJson(const KeepAnswer& answer) { return JsonOf(KeepAnswerFields(), answer); }

std::string PullJson(const PullAnswer& answer) { return JsonOf(PullAnswerFields(), answer); }

std::string ListJson(std::span<const ListedProcess> processes) {
  return JsonOfList(ListedFields(), processes);
}

std::string SourcesJson(std::span<const contract::SourceInfo> sources) {
  return JsonOfList(SourceFields(), sources);
}

std::string ExitCodesJson() {
  std::vector<ListedExitCode> rows;
  for (const ExitCodeInfo& info : ExitCodes()) rows.push_back({info.code, info.meaning});
  for (const HresultInfo& info : Hresults()) rows.push_back({ExitCodeOf(info), info.what, &info});
  return JsonOfList(ExitCodeFields(), std::span<const ListedExitCode>(rows));
}

std::string FailureJson(const Failure& failure) { return JsonOf(FailureFields(), failure); }

std::vector<std::string> DescribedCommands() {
  std::vector<std::string> names;
  for (const CommandAnswer& answer : Answers()) names.emplace_back(answer.command);
  return names;
}

std::string AnswerSchema(std::string_view command) {
  for (const CommandAnswer& answer : Answers()) {
    if (answer.command != command) continue;
    std::vector<SharedShape> forms = {answer.answer};
    if (!answer.is_list) forms.push_back(FailureFields().shape());
    return analyzer::JsonSchema("hindsight-trigger " + std::string(command) + " --json",
                                answer.description, forms, answer.is_list);
  }
  return {};
}

}  // namespace hindsight::trigger
