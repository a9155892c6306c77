// `hindsight verify`: what of a recording is intact, what is lost, where, and why.
#include <algorithm>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/recording_summary.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/heap/heap_heading.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

struct VerifyOptions {
  std::vector<std::string> paths;
  bool json = false;
};

// One cause: its name in JSON, and what it means.
struct CauseText {
  const char* name;
  const char* meaning;
};

CauseText Text(Damage::Cause cause) {
  switch (cause) {
    case Damage::Cause::kTruncated:
      return {"truncated",
              "the process was killed, the disk was full, or the recording is still running"};
    case Damage::Cause::kZeros:
      return {"zeros", "the machine went down before the data reached the disk"};
    case Damage::Cause::kDamaged:
      return {"damaged", "changed after it was written, or not part of a recording"};
    case Damage::Cause::kInvalid:
      return {"invalid",
              "checksums match but the contents are invalid: a recorder bug, or a malicious file"};
    case Damage::Cause::kUnreadable:
      return {"unreadable", "check the file's permissions and its disk"};
    case Damage::Cause::kConflict:
      return {"conflict", "the first of the two was used"};
  }
  return {"unknown", "unknown"};
}

CauseText Text(Gap::Cause cause) {
  switch (cause) {
    case Gap::Cause::kRotatedAway:
      return {"rotated_away", "deleted by the recorder to stay within limit.disk"};
    case Gap::Cause::kGivenUpForRoom:
      return {"given_up_for_room", "deleted by the recorder because the disk was full"};
    case Gap::Cause::kRotatedAwayOrDamaged:
      return {"rotated_away_or_damaged",
              "deleted by the recorder; the newest of them may have been damaged"};
    case Gap::Cause::kDamaged:
      return {"damaged", "damaged, see below"};
    case Gap::Cause::kMissingFile:
      return {"missing_file", "whole files are missing"};
    case Gap::Cause::kNotWritten:
      return {"not_written", "never written (see the notes), or cut off between segments"};
  }
  return {"unknown", "unknown"};
}

std::string EndText(const RecordingSummary& summary, const Integrity& integrity) {
  if (integrity.closed_in_order) {
    return "closed cleanly" + (summary.end ? ": " + Describe(summary.end->reason()) : "");
  }
  return "abrupt: the process was killed, the recording is still running, or the last files are "
         "missing;\nup to one second of events may be missing";
}

std::string GapText(const Gap& gap) {
  std::string text = gap.count == 1 ? "segment " + std::to_string(gap.first_sequence)
                                    : "segments " + std::to_string(gap.first_sequence) + " to " +
                                          std::to_string(gap.first_sequence + (gap.count - 1)) +
                                          " (" + FormatCount(gap.count) + ")";
  text += ": ";
  text += Text(gap.cause).meaning;
  if (gap.cause == Gap::Cause::kMissingFile) {
    text += ": " + Plural(gap.missing_files, "file") + " from number " +
            std::to_string(gap.first_missing_file) + " on";
  }
  if (gap.to_unix_ns != 0) {
    text += gap.from_unix_ns != 0 ? "\n  between " + FormatUnixTime(gap.from_unix_ns) + " and "
                                  : "\n  before ";
    text += FormatUnixTime(gap.to_unix_ns);
  } else if (gap.from_unix_ns != 0) {
    text += "\n  after " + FormatUnixTime(gap.from_unix_ns);
  }
  return text;
}

std::string DamageText(const Damage& damage) {
  std::string text = Printable(damage.file) + " at offset " + std::to_string(damage.offset) + ", " +
                     Plural(damage.bytes, "byte");
  if (damage.sequence) text += ", segment " + std::to_string(*damage.sequence);
  return text + ": " + damage.detail + "\n  (" + Text(damage.cause).meaning + ")";
}

void PrintList(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  std::cout << "\n" << title << "\n";
  for (const std::string& item : items) {
    std::string line = "  " + item;
    for (size_t at = 0; (at = line.find('\n', at)) != line.npos; at += 3) line.insert(at + 1, "  ");
    std::cout << line << "\n";
  }
}

std::vector<std::string> UserData(const RecordingSummary& summary) {
  if (!summary.process) return {};
  return {summary.process->user_data().begin(), summary.process->user_data().end()};
}

bool Intact(std::span<const HeapCheck> heaps) {
  return std::all_of(heaps.begin(), heaps.end(),
                     [](const HeapCheck& heap) { return heap.faults.empty(); });
}

std::string HeapText(const HeapCheck& heap) {
  std::string text = "snapshot " + std::to_string(heap.facts.number) + ": ";
  if (heap.faults.empty()) {
    text += Plural(heap.objects, "object") + ", " + FormatBytes(heap.object_bytes) +
            ", complete according to its certificate";
    if (heap.facts.result != HeapFacts::Result::kComplete) {
      text += "\n  it " + std::string(ResultClause(heap.facts.result));
      if (!heap.facts.result_reason.empty()) text += ": " + Printable(heap.facts.result_reason);
    }
    return text;
  }
  text += Plural(heap.objects, "object") + " can be read";
  for (const std::string& fault : heap.faults) text += "\n  " + fault;
  return text;
}

// In one word or two.
std::string Verdict(const RecordingSummary& summary, bool intact) {
  if (!intact) return "incomplete";
  return summary.counted.any() ? "complete counts, some details missing" : "intact";
}

void AddEvents(const RecordingSummary& summary, const Integrity& integrity, bool intact,
               AlignedRows& rows) {
  std::string lost = Plural(integrity.lost_segments(), "segment") + ", " +
                     FormatBytes(integrity.lost_bytes) + " damaged";
  if (const uint64_t dropped = DroppedEvents(summary); dropped > 0) {
    lost += ", " + Plural(dropped, "event") + " dropped";
  }
  if (!integrity.closed_in_order) lost += "; losses at the end cannot be counted";
  rows.Add("lost", intact ? "nothing" : lost);
  if (summary.counted.any()) rows.Add("details", CountedSentence(summary.counted));
  rows.Add("complete", "from " + FormatUnixTime(integrity.first_unix_ns) + " until " +
                           FormatUnixTime(integrity.complete_until_unix_ns));
  if (integrity.last_unix_ns != integrity.complete_until_unix_ns) {
    rows.Add("last packet", FormatUnixTime(integrity.last_unix_ns));
  }
  rows.Add("end", EndText(summary, integrity));
  std::string user_data;
  for (const std::string& kind : UserData(summary)) {
    user_data += (user_data.empty() ? "" : ", ") + Printable(kind);
  }
  if (!summary.process) user_data = "unknown: the packet that describes it is lost";
  rows.Add("user data", user_data.empty() ? "none" : user_data);
}

void PrintText(const RecordingSummary& summary, const Integrity& integrity,
               std::span<const HeapCheck> heaps, bool intact) {
  AlignedRows rows;
  rows.Add("verdict", Verdict(summary, intact));
  rows.Add("intact", Plural(integrity.intact_segments, "segment") + " in " +
                         Plural(integrity.files.size(), "file") + ", " +
                         FormatBytes(integrity.total_bytes - integrity.lost_bytes));
  if (integrity.has_events) {
    AddEvents(summary, integrity, intact, rows);
  } else {
    rows.Add("lost", intact ? "nothing" : "see below");
    rows.Add("events", "none: these files contain only heap snapshots");
  }
  std::cout << rows.Render();

  std::vector<std::string> gaps, snapshots, damages, events, remarks;
  for (const HeapCheck& heap : heaps) snapshots.push_back(HeapText(heap));
  for (const uint32_t number : integrity.missing_heaps) {
    snapshots.push_back("snapshot " + std::to_string(number) +
                        ": the file was written but is missing");
  }
  for (const Gap& gap : integrity.gaps) gaps.push_back(GapText(gap));
  for (const Damage& damage : integrity.damages) damages.push_back(DamageText(damage));
  if (integrity.damage_count > damages.size()) {
    damages.push_back("and " + FormatCount(integrity.damage_count - damages.size()) + " more");
  }
  for (const auto& [cause, count] : summary.lost_events) {
    events.push_back(Plural(count, "event") + ": " + Describe(cause));
  }
  if (summary.undefined_references > 0) {
    remarks.push_back(Plural(summary.undefined_references, "reference") +
                      " to unrecorded names: a recorder bug, please report it");
  }
  if (integrity.duplicate_segments > 0) {
    remarks.push_back(Plural(integrity.duplicate_segments, "segment") +
                      " present more than once, used once");
  }
  if (integrity.skipped_segments + integrity.unknown_packets > 0) {
    remarks.push_back(Plural(integrity.skipped_segments, "segment") + " and " +
                      Plural(integrity.unknown_packets, "packet") +
                      " of kinds unknown to this version; update hindsight to read them");
  }
  PrintList("heap snapshots", snapshots);
  PrintList("missing segments", gaps);
  PrintList("damaged bytes", damages);
  PrintList("events that the recorder dropped and counted", events);
  PrintList("remarks", remarks);
}

Json JsonTime(uint64_t unix_ns) { return unix_ns == 0 ? Json(nullptr) : Json(unix_ns); }

Json ToJson(const RecordingSummary& summary, const Integrity& integrity,
            std::span<const HeapCheck> heaps, bool intact) {
  Json snapshots = Json::array();
  for (const HeapCheck& heap : heaps) {
    Json entry = JsonHeapFacts(heap.facts);
    entry["objects"] = heap.objects;
    entry["object_bytes"] = heap.object_bytes;
    entry["slots"] = heap.slots;
    entry["faults"] = heap.faults;
    snapshots.push_back(std::move(entry));
  }
  Json files = Json::array();
  for (const FileSummary& file : integrity.files) {
    Json entry = {{"path", ValidUtf8(file.path)},
                  {"bytes", file.bytes},
                  {"intact_segments", file.intact_segments}};
    if (file.intact_segments > 0) {
      entry["first_sequence"] = file.first_sequence;
      entry["last_sequence"] = file.last_sequence;
    }
    files.push_back(std::move(entry));
  }
  Json gaps = Json::array();
  for (const Gap& gap : integrity.gaps) {
    Json entry = {{"cause", Text(gap.cause).name},
                  {"first_sequence", gap.first_sequence},
                  {"count", gap.count},
                  {"from_unix_ns", JsonTime(gap.from_unix_ns)},
                  {"to_unix_ns", JsonTime(gap.to_unix_ns)}};
    if (gap.cause == Gap::Cause::kMissingFile) {
      entry["first_missing_file"] = gap.first_missing_file;
      entry["missing_files"] = gap.missing_files;
    }
    gaps.push_back(std::move(entry));
  }
  Json damages = Json::array();
  for (const Damage& damage : integrity.damages) {
    damages.push_back({{"cause", Text(damage.cause).name},
                       {"file", ValidUtf8(damage.file)},
                       {"offset", damage.offset},
                       {"bytes", damage.bytes},
                       {"sequence", damage.sequence ? Json(*damage.sequence) : Json(nullptr)},
                       {"detail", damage.detail}});
  }
  Json lost_events = Json::object();
  for (const auto& [cause, count] : summary.lost_events) {
    lost_events[JsonName(Loss::Cause_Name(cause))] = count;
  }
  return {{"intact", intact},
          {"recording_id", integrity.recording_id},
          {"files", std::move(files)},
          {"total_bytes", integrity.total_bytes},
          {"lost_bytes", integrity.lost_bytes},
          {"intact_segments", integrity.intact_segments},
          {"lost_segments", integrity.lost_segments()},
          {"closed_in_order", integrity.closed_in_order},
          {"end", summary.end ? Json(JsonName(RecordingEnd::Reason_Name(summary.end->reason())))
                              : Json(nullptr)},
          {"first_unix_ns", JsonTime(integrity.first_unix_ns)},
          {"complete_until_unix_ns", JsonTime(integrity.complete_until_unix_ns)},
          {"last_unix_ns", JsonTime(integrity.last_unix_ns)},
          {"missing_segments", std::move(gaps)},
          {"damaged_bytes", std::move(damages)},
          {"damage_count", integrity.damage_count},
          {"heap_snapshots", std::move(snapshots)},
          {"missing_heap_snapshots", integrity.missing_heaps},
          {"lost_events", std::move(lost_events)},
          {"counted",
           {{"throws", summary.counted.throws},
            {"counted_throws", summary.counted.counted_throws},
            {"waits", summary.counted.waits},
            {"counted_waits", summary.counted.counted_waits}}},
          {"user_data", UserData(summary)},
          {"undefined_references", summary.undefined_references},
          {"duplicate_segments", integrity.duplicate_segments},
          {"skipped_segments", integrity.skipped_segments},
          {"unknown_packets", integrity.unknown_packets}};
}

ExitCode Run(const VerifyOptions& options) {
  Progress progress("verifying");
  Result<Recording> recording = Recording::Open(options.paths, &progress);
  if (!recording) return Fail(recording.error());
  const Integrity& integrity = recording->integrity();
  RecordingSummary summary;
  if (integrity.has_events) {
    Result<RecordingSummary> read = Summarize(*recording, &progress);
    if (!read) return Fail(read.error());
    summary = std::move(read).value();
  }
  std::vector<HeapCheck> heaps;
  if (!integrity.heaps.empty()) {
    Result<std::vector<HeapCheck>> checked = CheckHeaps(options.paths, &progress);
    if (!checked) return Fail(checked.error());
    heaps = std::move(checked).value();
  }
  const bool intact = (integrity.intact() || !integrity.has_events) &&
                      integrity.heap_damage_count == 0 && Intact(heaps) &&
                      integrity.missing_heaps.empty() && summary.undefined_references == 0 &&
                      DroppedEvents(summary) == 0;
  if (options.json) {
    std::cout << JsonDump(ToJson(summary, integrity, heaps, intact));
  } else {
    PrintText(summary, integrity, heaps, intact);
  }
  return intact ? ExitCode::kOk : ExitCode::kDamageFound;
}

}  // namespace

void DescribeVerify(cli::Command& command) {
  const auto options = std::make_shared<VerifyOptions>();
  AddRecording(command, options->paths);
  AddJson(command, options->json);
  command.Example("hindsight verify shop.hindsight",
                  "whether everything is intact; exit code 1 if not");
  command.SeeAlso({"hindsight info"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
