#include <string>

#include "analyzer/base/shell.h"
#include "analyzer/report/fleet/fleet_report.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

Json JsonCount(const FleetCount& count) {
  return {{"processes", count.processes}, {"hosts", count.hosts}};
}

std::string_view StateName(FirstBuild::State state) {
  switch (state) {
    case FirstBuild::State::kSince:
      return "since";
    case FirstBuild::State::kFromTheStart:
      return "from_the_start";
    case FirstBuild::State::kOnlyOne:
      return "only_one_build";
    case FirstBuild::State::kUnknown:
      break;
  }
  return "unknown";
}

Json JsonFirst(const FirstBuild& first) {
  return {{"state", StateName(first.state)},
          {"build", JsonText(first.build)},
          {"first_seen_unix_ns", first.first_seen_unix_ns},
          {"builds_before", first.builds_before},
          {"processes_before", first.processes_before}};
}

Json JsonFleetFinding(const FleetFinding& finding) {
  const RowFinding& worst = finding.worst;
  return {{"application", JsonText(finding.application)},
          {"severity", SeverityName(worst.severity)},
          {"signal", SignalName(worst.signal)},
          {"kind", JsonText(worst.kind)},
          {"subject", JsonText(worst.subject)},
          {"title", JsonText(worst.title)},
          {"impact", worst.impact},
          {"has", JsonCount(finding.has)},
          {"of", JsonCount(finding.of)},
          {"first_build", JsonFirst(finding.first)},
          {"recording", JsonText(finding.path)},
          {"host", JsonText(finding.host)},
          {"command", JsonText("hindsight " + worst.command + " " + ShellWord(finding.path))}};
}

Json JsonOutlier(const FleetOutlier& one) {
  const FleetNumber& number = kFleetNumbers[one.number];
  return {{"application", JsonText(one.application)},
          {"host", JsonText(one.host)},
          {"measure", number.measure},
          {"unit", UnitName(number.unit)},
          {"value", one.outlier.value},
          {"median", one.outlier.median},
          {"deviations", one.outlier.distance},
          {"hosts", one.hosts}};
}

}  // namespace

std::string FleetJson(const FleetPage& page) {
  const Fleet& fleet = *page.fleet;
  Json applications = Json::array(), findings = Json::array(), outliers = Json::array(),
       unreadable = Json::array();
  for (const FleetApplication& application : fleet.applications) {
    applications.push_back({{"name", JsonText(application.name)},
                            {"recordings", application.recordings},
                            {"processes", application.count.processes},
                            {"hosts", application.count.hosts},
                            {"builds", application.builds},
                            {"hosts_compared", application.is_compared}});
  }
  for (const FleetFinding& finding : fleet.findings) findings.push_back(JsonFleetFinding(finding));
  for (const FleetOutlier& outlier : fleet.outliers) outliers.push_back(JsonOutlier(outlier));
  for (const auto& [path, sentence] : fleet.unreadable) {
    unreadable.push_back({{"path", JsonText(path)}, {"reason", JsonText(sentence)}});
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "fleet"},
                   {"recordings", fleet.recordings},
                   {"copies", fleet.copies},
                   {"without_host", fleet.without_host},
                   {"count", JsonCount(fleet.count)},
                   {"ill", JsonCount(fleet.ill)},
                   {"first_unix_ns", fleet.first_unix_ns},
                   {"last_unix_ns", fleet.last_unix_ns},
                   {"read", page.read},
                   {"from_catalogue", page.from_catalogue},
                   {"catalogue_note", JsonText(page.catalogue_note)},
                   {"applications", std::move(applications)},
                   {"findings", std::move(findings)},
                   {"outliers", std::move(outliers)},
                   {"unreadable", std::move(unreadable)}});
}

}  // namespace hindsight::analyzer
