#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/losses.h"
#include "analyzer/report/recording/recording_labels.h"
#include "analyzer/report/recording/verify_report.h"

namespace hindsight::analyzer {
namespace {

std::string_view Meaning(Damage::Cause cause) {
  switch (cause) {
    case Damage::Cause::kTruncated:
      return "the process was killed, the disk was full, or the recording is still running";
    case Damage::Cause::kZeros:
      return "the machine went down before the data reached the disk";
    case Damage::Cause::kDamaged:
      return "changed after it was written, or not part of a recording";
    case Damage::Cause::kInvalid:
      return "checksums match but the contents are invalid: a recorder bug, or a malicious file";
    case Damage::Cause::kUnreadable:
      return "check the file's permissions and its disk";
    case Damage::Cause::kConflict:
      return "the first of the two was used";
  }
  return "unknown";
}

std::string_view Meaning(Gap::Cause cause) {
  switch (cause) {
    case Gap::Cause::kRotatedAway:
      return "deleted by the recorder to stay within limit.disk";
    case Gap::Cause::kGivenUpForRoom:
      return "deleted by the recorder because the disk was full";
    case Gap::Cause::kRotatedAwayOrDamaged:
      return "deleted by the recorder; the newest of them may have been damaged";
    case Gap::Cause::kDamaged:
      return "damaged, see below";
    case Gap::Cause::kMissingFile:
      return "whole files are missing";
    case Gap::Cause::kNotWritten:
      return "never written (see the notes), or cut off between segments";
  }
  return "unknown";
}

std::string EndText(const RecordingSummary& summary, const Integrity& integrity) {
  if (integrity.closed_in_order) {
    return "closed cleanly" + (summary.end ? ": " + std::string(Describe(*summary.end)) : "");
  }
  return "abrupt: the process was killed, the recording is still running, or the last files are "
         "missing;\nup to one second of events may be missing, more if the disk was full";
}

std::string GapText(const Gap& gap) {
  std::string text = gap.count == 1 ? "segment " + std::to_string(gap.first_sequence)
                                    : "segments " + std::to_string(gap.first_sequence) + " to " +
                                          std::to_string(gap.first_sequence + (gap.count - 1)) +
                                          " (" + FormatCount(gap.count) + ")";
  text += ": ";
  text += Meaning(gap.cause);
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
  return text + ": " + damage.detail + "\n  (" + std::string(Meaning(damage.cause)) + ")";
}

std::string ListText(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = std::string("\n") + title + "\n";
  for (const std::string& item : items) {
    std::string line = "  " + item;
    for (size_t at = 0; (at = line.find('\n', at)) != line.npos; at += 3) line.insert(at + 1, "  ");
    text += line + "\n";
  }
  return text;
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

// In a few words.
std::string Verdict(const RecordingSummary& summary, bool intact) {
  if (!intact) return "incomplete";
  return summary.counted.any() ? "complete counts, some details missing" : "intact";
}

void AddEvents(const RecordingSummary& summary, const Integrity& integrity, bool intact,
               AlignedRows& rows) {
  std::string lost = Plural(integrity.lost_segments(), "segment") + ", " +
                     FormatBytes(integrity.lost_bytes) + " damaged";
  if (const uint64_t dropped = summary.DroppedEvents(); dropped > 0) {
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
  if (!summary.process) {
    user_data = "unknown: the packet that describes it is lost";
  } else {
    for (const std::string& kind : summary.process->user_data) {
      user_data += (user_data.empty() ? "" : ", ") + Printable(kind);
    }
  }
  rows.Add("user data", user_data.empty() ? "none" : user_data);
}

}  // namespace

std::string VerifyText(const VerifyView& view, const TextStyle& style) {
  const RecordingSummary& summary = view.summary;
  const Integrity& integrity = view.integrity;
  const bool intact = view.Intact();
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
  std::vector<std::string> gaps, snapshots, damages, events, remarks;
  for (const HeapCheck& heap : view.heaps) snapshots.push_back(HeapText(heap));
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
    events.push_back(Plural(count, "event") + ": " + std::string(Describe(cause)));
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
  return rows.Render("", style.shortens ? style.width : SIZE_MAX) +
         ListText("heap snapshots", snapshots) + ListText("missing segments", gaps) +
         ListText("damaged bytes", damages) +
         ListText("events that the recorder dropped and counted", events) +
         ListText("remarks", remarks);
}

bool VerifyView::Intact() const {
  const auto is_intact = [](const HeapCheck& heap) { return heap.faults.empty(); };
  return (integrity.intact() || !integrity.has_events) && integrity.heap_damage_count == 0 &&
         std::all_of(heaps.begin(), heaps.end(), is_intact) && integrity.missing_heaps.empty() &&
         summary.undefined_references == 0 && summary.DroppedEvents() == 0;
}

}  // namespace hindsight::analyzer
