#include "analyzer/report/json.h"

#include "analyzer/base/text.h"
#include "analyzer/report/losses.h"

namespace hindsight::analyzer {

Json JsonText(std::string_view text) { return ValidUtf8(text); }

Json JsonRecording(const Model& model) {
  const RecordingFacts& facts = model.facts;
  const Losses& losses = model.losses;
  Json notes = Json::array();
  for (const std::string& sentence : ExceptionLossSentences(model)) notes.push_back(sentence);
  return {{"application", JsonText(facts.application)},
          {"pid", facts.pid},
          {"runtime", JsonText(facts.runtime_version)},
          {"started_unix_ns", facts.started_unix_ns},
          {"first_ns", facts.first_ns},
          {"last_ns", facts.last_ns},
          {"end", EndName(facts.end)},
          {"closed", facts.end != RecordingFacts::End::kBrokeOff},
          {"losses",
           {{"ring_full", losses.ring_full},
            {"memory_cap", losses.memory_cap},
            {"disk_error", losses.disk_error},
            {"unknown_cause", losses.unknown_cause},
            {"stacks_missing", losses.stacks_missing},
            {"segments", losses.segments},
            {"damaged_bytes", losses.damaged_bytes},
            {"oldest_rotated_away", losses.oldest_rotated_away},
            {"missing_references", losses.dangling},
            {"unknown_packets", losses.unknown_packets},
            {"over_analyzer_limits", losses.refused}}},
          {"notes", std::move(notes)}};
}

Json JsonThread(const Model& model, ThreadIndex index) {
  if (index == 0) return nullptr;
  const ThreadInfo& thread = model.threads[index];
  return {{"id", thread.id},
          {"os_id", thread.os_id},
          {"name", JsonText(model.dictionaries.String(thread.name))}};
}

void AddJsonLine(Json& place, const SourceLine& line) {
  const auto text = [](std::string_view value) { return value.empty() ? Json() : JsonText(value); };
  place["file"] = text(line.file);
  place["line"] = line.known() ? Json(line.line) : Json();
  place["url"] = text(line.url);
}

Json JsonLineNotes(const Lines& lines) {
  Json notes = Json::array();
  for (const std::string& sentence : lines.Notes()) notes.push_back(sentence);
  return notes;
}

std::string JsonDump(const Json& json) {
  return EscapedJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace hindsight::analyzer
