#include "analyzer/report/common_fields.h"

#include "analyzer/report/json.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {
namespace {

Object<Losses> LossFields() {
  return {
      {"ring_full", "Events: a thread produced events faster than they could be written",
       &Losses::ring_full},
      {"memory_cap", "Events: no memory was left under the limit", &Losses::memory_cap},
      {"disk_error", "Events: segments could not be written", &Losses::disk_error},
      {"unknown_cause", "Events lost for another reason", &Losses::unknown_cause},
      {"stacks_missing", "Events without their stacks", &Losses::stacks_missing},
      {"segments", "Segments missing from the files", &Losses::segments},
      {"damaged_bytes", "Unreadable bytes", &Losses::damaged_bytes},
      {"oldest_rotated_away",
       "Whether the beginning was deleted by the size limit, or because the disk was full",
       &Losses::oldest_rotated_away},
      {"missing_references", "References to missing names or stacks", &Losses::dangling},
      {"unknown_packets", "Packets of a newer version, skipped", &Losses::unknown_packets},
      {"over_analyzer_limits", "Omitted by the analyzer", &Losses::refused},
  };
}

Object<RecordingFacts> FactFields() {
  OneOf<EndReason> ends = EndReasons();
  ends.values.insert(ends.values.begin(), EndReason::kBrokeOff);
  return {
      {"application", "Name of the application", &RecordingFacts::application},
      {"pid", "Process id", &RecordingFacts::pid},
      {"runtime", "Version of the runtime", &RecordingFacts::runtime_version},
      {"started_unix_ns", "Start of the recording", &RecordingFacts::started_unix_ns},
      {"first_ns", "The first thing recorded", &RecordingFacts::first_ns},
      {"last_ns", "The last thing recorded", &RecordingFacts::last_ns},
      {"end", "How it ended", ends, &RecordingFacts::end},
      {"closed", "Whether the files were closed cleanly",
       [](auto& facts) { return facts.end != EndReason::kBrokeOff; }},
  };
}

// For any report: `Source` has facts and losses, and `notes` returns sentences about them.
template <typename Source>
Object<Source> RecordingFieldsOf(std::vector<std::string> (*notes)(const Source&)) {
  return {"recording",
          "The recording",
          {
              {FactFields(), &Source::facts},
              {"losses", "Losses by cause; all 0: nothing was lost", LossFields(), &Source::losses},
              {"notes", "Notes, as sentences", notes},
          }};
}

}  // namespace

Object<Nothing> HeadFields(std::string_view command) {
  return {
      {"schema",
       "Version of this schema: increases when a key is removed or changes its meaning, not when "
       "one is added",
       [](auto&) { return kJsonSchema; }},
      {"command", "The command that printed this", Constant{std::string(command)}},
  };
}

Object<Model> RecordingFields() { return RecordingFieldsOf<Model>(&ExceptionLossSentences); }

Object<RecordingSummary> SummarizedRecordingFields() {
  return RecordingFieldsOf<RecordingSummary>([](const RecordingSummary& summary) {
    return ExceptionLossSentences(summary.facts, summary.losses, summary.counted);
  });
}

Object<ThreadRow> ThreadFields() {
  return {"thread",
          "A thread",
          {
              {"id", "Number within the recording",
               [](auto& row) { return row.model->threads[row.index].id; }},
              {"os_id", "The kernel's id",
               [](auto& row) { return row.model->threads[row.index].os_id; }},
              {"name", "Name",
               [](auto& row) {
                 return row.model->dictionaries.String(row.model->threads[row.index].name);
               }},
          }};
}

OneOf<EndReason> EndReasons() {
  return {&EndName,
          {EndReason::kProcessExit, EndReason::kStopped, EndReason::kDurationOver,
           EndReason::kFailed, EndReason::kCut, EndReason::kUnknown}};
}

OneOf<Severity> Severities() {
  return {&SeverityName, {Severity::kCritical, Severity::kWarning, Severity::kNote}};
}

std::optional<ThreadRow> ThreadOf(const Model& model, ThreadIndex index) {
  if (index == 0) return std::nullopt;
  return ThreadRow{&model, index};
}

std::vector<std::string> StackNames(const MethodNames& names, std::span<const MethodId> path) {
  std::vector<std::string> out;
  out.reserve(path.size());
  for (const MethodId method : path) out.push_back(names.Display(method));
  return out;
}

}  // namespace hindsight::analyzer
