#include <optional>
#include <span>
#include <string>

#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"
#include "analyzer/report/recording/recording_labels.h"
#include "analyzer/report/recording/verify_report.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<Damage::Cause> kDamageCauses[] = {
    {Damage::Cause::kTruncated, "truncated"},   {Damage::Cause::kZeros, "zeros"},
    {Damage::Cause::kDamaged, "damaged"},       {Damage::Cause::kInvalid, "invalid"},
    {Damage::Cause::kUnreadable, "unreadable"}, {Damage::Cause::kConflict, "conflict"},
};
constexpr Named<Gap::Cause> kGapCauses[] = {
    {Gap::Cause::kRotatedAway, "rotated_away"},
    {Gap::Cause::kGivenUpForRoom, "given_up_for_room"},
    {Gap::Cause::kRotatedAwayOrDamaged, "rotated_away_or_damaged"},
    {Gap::Cause::kDamaged, "damaged"},
    {Gap::Cause::kMissingFile, "missing_file"},
    {Gap::Cause::kNotWritten, "not_written"},
};

std::optional<uint64_t> Time(uint64_t unix_ns) { return IfKnown(unix_ns != 0, unix_ns); }

Object<FileSummary> FileFields() {
  return {
      {"path", "Of the file", &FileSummary::path},
      {"bytes", "Its size", &FileSummary::bytes},
      {"intact_segments", "Intact segments", &FileSummary::intact_segments},
      {"first_sequence", "Number of the first segment",
       [](auto& file) {
         return If{file.intact_segments > 0, file.first_sequence};
       }},
      {"last_sequence", "Number of the last segment",
       [](auto& file) {
         return If{file.intact_segments > 0, file.last_sequence};
       }},
  };
}

Object<Gap> GapFields() {
  return {
      {"cause", "Why", kGapCauses, &Gap::cause},
      {"first_sequence", "Number of the first one", &Gap::first_sequence},
      {"count", "How many", &Gap::count},
      {"from_unix_ns", "Everything missing is later than this; null: unknown",
       [](auto& gap) { return Time(gap.from_unix_ns); }},
      {"to_unix_ns", "... and before this", [](auto& gap) { return Time(gap.to_unix_ns); }},
      {"first_missing_file", "Where whole files are missing: number of the first one",
       [](auto& gap) {
         return If{gap.cause == Gap::Cause::kMissingFile, gap.first_missing_file};
       }},
      {"missing_files", "How many",
       [](auto& gap) {
         return If{gap.cause == Gap::Cause::kMissingFile, gap.missing_files};
       }},
  };
}

Object<Damage> DamageFields() {
  return {
      {"cause", "Why", kDamageCauses, &Damage::cause},
      {"file", "In which file", &Damage::file},
      {"offset", "From here on", &Damage::offset},
      {"bytes", "How many", &Damage::bytes},
      {"sequence", "Number of the segment; null: unknown", &Damage::sequence},
      {"detail", "What is wrong with them", &Damage::detail},
  };
}

Object<HeapCheck> HeapCheckFields() {
  return {
      {HeapSnapshotFields(), &HeapCheck::facts},
      {"objects", "Objects that can be read", &HeapCheck::objects},
      {"object_bytes", "Their bytes", &HeapCheck::object_bytes},
      {"slots", "Their references", &HeapCheck::slots},
      {"faults", "What is wrong, as clauses", &HeapCheck::faults},
  };
}

Object<Integrity> SegmentFields() {
  return {
      {"recording_id", "Of all its segments", &Integrity::recording_id},
      {"files", "Of the recording", FileFields(), &Integrity::files},
      {"total_bytes", "Of all files", &Integrity::total_bytes},
      {"lost_bytes", "Not readable", &Integrity::lost_bytes},
      {"intact_segments", "Intact segments", &Integrity::intact_segments},
      {"lost_segments", "Missing segments", &Integrity::lost_segments},
      {"closed_in_order", "Whether the files were closed cleanly", &Integrity::closed_in_order},
  };
}

Object<Integrity> PlaceFields() {
  return {
      {"first_unix_ns", "The first thing recorded",
       [](auto& integrity) { return Time(integrity.first_unix_ns); }},
      {"complete_until_unix_ns", "Nothing older is missing",
       [](auto& integrity) { return Time(integrity.complete_until_unix_ns); }},
      {"last_unix_ns", "The last thing recorded",
       [](auto& integrity) { return Time(integrity.last_unix_ns); }},
      {"missing_segments", "Where segments are missing, and why", GapFields(), &Integrity::gaps},
      {"damaged_bytes", "Where bytes are damaged, and why", DamageFields(), &Integrity::damages},
      {"damage_count", "Of all, listed or not", &Integrity::damage_count},
  };
}

Object<VerifyView> VerifyFields() {
  constexpr auto kIntegrity = [](auto& view) -> auto& { return view.integrity; };
  return {
      HeadFields("verify"),
      {"recording", "null: heap snapshot files only", SummarizedRecordingFields(),
       [](auto& view) { return view.integrity.has_events ? &view.summary : nullptr; }},
      {"intact", "Whether nothing is missing or damaged", &VerifyView::Intact},
      {SegmentFields(), kIntegrity},
      {"end", "How it ended; null: unknown", EndReasons(),
       [](auto& view) { return view.summary.end; }},
      {PlaceFields(), kIntegrity},
      {"heap_snapshots", "Heap snapshots, by number", HeapCheckFields(),
       [](auto& view) { return view.heaps; }},
      {"missing_heap_snapshots", "Numbers of those whose file was written but is missing",
       [](auto& view) -> decltype(auto) { return (view.integrity.missing_heaps); }},
      {"lost_events", "Events lost, by cause",
       [](auto& view) { return LostEventsOf(view.summary); }},
      {"counted", "Which events have details; all are counted", CountedFields(),
       [](auto& view) -> decltype(auto) { return (view.summary.counted); }},
      {"user_data", "Kinds of user data in the recording",
       [](auto& view) {
         return view.summary.process ? view.summary.process->user_data : std::vector<std::string>();
       }},
      {"undefined_references", "References to missing names or stacks",
       [](auto& view) { return view.summary.undefined_references; }},
      {"duplicate_segments", "Present more than once, used once",
       [](auto& view) { return view.integrity.duplicate_segments; }},
      {"skipped_segments", "Of kinds unknown to this version",
       [](auto& view) { return view.integrity.skipped_segments; }},
      {"unknown_packets", "Packets of a newer version, skipped",
       [](auto& view) { return view.integrity.unknown_packets; }},
  };
}

}  // namespace

std::string VerifyJson(const VerifyView& view) { return JsonOf(VerifyFields(), view, Nothing()); }

SharedShape VerifyShape() { return VerifyFields().shape(); }

}  // namespace hindsight::analyzer
