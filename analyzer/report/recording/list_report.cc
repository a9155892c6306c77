#include "analyzer/report/recording/list_report.h"

#include "analyzer/base/path_text.h"
#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/described_table.h"

namespace hindsight::analyzer {
namespace {

std::string StartedAt(const FoundRecording& found) {
  const std::string time = FormatUnixTime(found.started_unix_ns);  // 2026-11-21T10:15:30.123Z
  return time.substr(0, 10) + " " + time.substr(11, 8);
}

Object<FoundRecording> FoundFields() {
  return {
      {TextColumn("started (UTC)"), &StartedAt},
      {"path", "Path of the recording's folder", &FoundRecording::path},
      {"application", "Application, from the name; empty: unknown", &FoundRecording::application,
       TextColumn("application")},
      {"pid", "Process id, from the name; 0: unknown", &FoundRecording::pid},
      {TextColumn("pid").AlignsRight(),
       [](auto& found) { return found.pid == 0 ? std::string() : std::to_string(found.pid); }},
      {"started_unix_ns",
       "Start, from the name (whole seconds), or else the last write; since 1970, UTC",
       &FoundRecording::started_unix_ns},
      {"bytes", "Size of all files", &FoundRecording::bytes, TextColumn("size")},
      {"snapshots", "Number of heap snapshots", &FoundRecording::snapshots,
       TextColumn("snapshots").BlankZero()},
      {TextColumn("recording").Shrinks(),
       [](auto& found) { return Printable(PathOf(found.path).filename().string()); }},
  };
}

Object<ListView> ListFields() {
  return {
      HeadFields("list"),
      {"folder", "The folder that was read", &ListView::folder},
      {"recordings", "The recordings", FoundFields(), &ListView::recordings},
  };
}

}  // namespace

std::string ListText(const ListView& view, const TextStyle& style) {
  if (view.recordings.empty()) return "There is no recording in " + Printable(view.folder) + ".\n";
  return Plural(view.recordings.size(), "recording") + " in " + Printable(view.folder) +
         ", the newest first\n\n" + TableOf(style, FoundFields(), view.recordings, Nothing());
}

std::string ListJson(const ListView& view) { return JsonOf(ListFields(), view); }

SharedShape ListShape() { return ListFields().shape(); }

}  // namespace hindsight::analyzer
