#include <string>

#include "analyzer/base/shell.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/fleet/fleet_report.h"

namespace hindsight::analyzer {
namespace {

using BuildState = FirstBuild::State;

constexpr Named<BuildState> kBuildStates[] = {{BuildState::kSince, "since"},
                                              {BuildState::kFromTheStart, "from_the_start"},
                                              {BuildState::kOnlyOne, "only_one_build"},
                                              {BuildState::kUnknown, "unknown"}};

Object<FleetCount> FleetCountFields() {
  return {"fleet_count",
          "Processes and hosts",
          {
              {"processes", "How many", &FleetCount::processes},
              {"hosts", "How many, of those whose name was recorded", &FleetCount::hosts},
          }};
}

Object<FleetApplication> FleetApplicationFields() {
  return {
      {"name", "Name of the application; empty: not recorded", &FleetApplication::name},
      {"recordings", "How many", &FleetApplication::recordings},
      {FleetCountFields(), &FleetApplication::count},
      {"builds", "How many", &FleetApplication::builds},
      {"hosts_compared", "Whether there were enough hosts to find outliers",
       &FleetApplication::is_compared},
  };
}

Object<FirstBuild> FirstBuildFields() {
  return {
      {"state",
       "since: older builds recorded the signal and did not have it; from_the_start: the oldest "
       "build has it; only_one_build: there is no other; unknown: not recorded, or a build "
       "has no usable time",
       kBuildStates, &FirstBuild::state},
      {"build", "MVID of the application's assembly, 32 hex digits", &FirstBuild::build},
      {"first_seen_unix_ns", "Start of the oldest recording of that build",
       &FirstBuild::first_seen_unix_ns},
      {"builds_before", "Builds without it", &FirstBuild::builds_before},
      {"processes_before", "Processes of these builds", &FirstBuild::processes_before},
  };
}

Object<RowFinding> WorstFindingFields() {
  return {
      {"severity", "The worst", Severities(), &RowFinding::severity},
      {"signal", "What it is about", [](auto& worst) { return SignalName(worst.signal); }},
      {"kind", "Which kind", &RowFinding::kind},
      {"subject", "The type, method or thread", &RowFinding::subject},
      {"title", "Of the worst, in one line", &RowFinding::title},
      {"impact", "Of the worst, 0 to 1", &RowFinding::impact},
  };
}

Object<FleetFinding> FleetFindingFields() {
  return {
      {"application", "Name of the application", &FleetFinding::application},
      {WorstFindingFields(), &FleetFinding::worst},
      {"has", "Processes and hosts that have it", FleetCountFields(), &FleetFinding::has},
      {"of", "Processes and hosts whose recordings cover its signal", FleetCountFields(),
       &FleetFinding::of},
      {"first_build", "Since when", FirstBuildFields(), &FleetFinding::first},
      {"recording", "The worst", &FleetFinding::path},
      {"host", "Of that recording", &FleetFinding::host},
      {"command", "The command that shows more",
       [](auto& finding) {
         return "hindsight " + finding.worst.command + " " + ShellWord(finding.path);
       }},
  };
}

Object<FleetOutlier> FleetOutlierFields() {
  return {
      {"application", "Name of the application", &FleetOutlier::application},
      {"host", "Name of the host", &FleetOutlier::host},
      {"measure", "As in `hindsight check --list`",
       [](auto& one) { return kFleetNumbers[one.number].measure; }},
      {"unit", "Of the values", [](auto& one) { return UnitName(kFleetNumbers[one.number].unit); }},
      {"value", "Median of the host's recordings", [](auto& one) { return one.outlier.value; }},
      {"median", "Median of all hosts", [](auto& one) { return one.outlier.median; }},
      {"deviations", "Distance from the median, in scaled median absolute deviations",
       [](auto& one) { return one.outlier.distance; }},
      {"hosts", "That were compared", &FleetOutlier::hosts},
  };
}

Object<FleetHost> FleetHostFields() {
  return {
      {"name", "Name of the host", &FleetHost::name},
      {"recordings", "How many", &FleetHost::recordings},
      {"processes", "How many", &FleetHost::processes},
      {"critical", "Critical findings, each once per application", &FleetHost::critical},
      {"warnings", "Warnings, each once per application", &FleetHost::warnings},
      {"outliers", "Numbers in which it differs from other hosts", &FleetHost::outliers},
      {"last_unix_ns", "End of its newest recording; 0: unknown", &FleetHost::last_unix_ns},
  };
}

Object<FleetBuild> FleetBuildFields() {
  return {
      {"application", "Name of the application", &FleetBuild::application},
      {"build", "MVID of the application's assembly, 32 hex digits", &FleetBuild::build},
      {"recordings", "How many", &FleetBuild::recordings},
      {FleetCountFields(), &FleetBuild::count},
      {"critical", "Critical findings", &FleetBuild::critical},
      {"warnings", "How many", &FleetBuild::warnings},
      {"new_findings", "Of both, that no recording of an older build has",
       &FleetBuild::new_findings},
      {"first_unix_ns", "Start of its oldest recording; 0: unknown", &FleetBuild::first_unix_ns},
      {"last_unix_ns", "End of its newest recording; 0: unknown", &FleetBuild::last_unix_ns},
  };
}

using Unreadable = std::pair<std::string, std::string>;

Object<Unreadable> UnreadableFields() {
  return {
      {"path", "Of the recording or folder", &Unreadable::first},
      {"reason", "A sentence", &Unreadable::second},
  };
}

std::vector<const Unreadable*> UnreadableRows(const Fleet& fleet) {
  std::vector<const Unreadable*> rows;
  for (const Unreadable& row : fleet.unreadable) rows.push_back(&row);
  return rows;
}

Object<Fleet, FleetPage> FleetFields() {
  return {
      HeadFields("fleet"),
      {"recordings", "That were included, each once", &Fleet::recordings},
      {"copies", "Left out: the same as another one", &Fleet::copies},
      {"parts", "Left out: cut out of another one (cut, keep) that has all of it", &Fleet::parts},
      {"without_host", "Recordings that do not name their host", &Fleet::without_host},
      {"without_time", "Recordings on hosts whose clock was not set", &Fleet::without_time},
      {"count", "What was recorded", FleetCountFields(), &Fleet::count},
      {"ill", "With a critical finding or a warning", FleetCountFields(), &Fleet::ill},
      {"first_unix_ns", "Start of the oldest recording; 0: unknown", &Fleet::first_unix_ns},
      {"last_unix_ns", "End of the newest recording; 0: unknown", &Fleet::last_unix_ns},
      {"read", "Recordings that were read for this", [](auto&, auto& page) { return page.read; }},
      {"from_catalogue", "Recordings known from an earlier run",
       [](auto&, auto& page) { return page.from_catalogue; }},
      {"catalogue_note", "Why there is no catalogue; empty: there is one, or none was wanted",
       [](auto&, auto& page) { return page.catalogue_note; }},
      {"applications", "Those with most processes first", FleetApplicationFields(),
       &Fleet::applications},
      {"findings",
       "Each once per application, by signal, kind and subject; the worst first, then those on "
       "most hosts",
       FleetFindingFields(), &Fleet::findings},
      {"outliers", "Hosts that differ from others with the same application, the farthest first",
       FleetOutlierFields(), &Fleet::outliers},
      {"hosts", "Those with most critical findings first, then warnings", FleetHostFields(),
       &Fleet::hosts},
      {"builds", "By application, the newest first", FleetBuildFields(), &Fleet::builds},
      {"unreadable", "Recordings that could not be read", UnreadableFields(), &UnreadableRows},
  };
}

}  // namespace

std::string FleetJson(const FleetPage& page) { return JsonOf(FleetFields(), *page.fleet, page); }

SharedShape FleetShape() { return FleetFields().shape(); }

}  // namespace hindsight::analyzer
