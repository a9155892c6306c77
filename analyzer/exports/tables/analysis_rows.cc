#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kCritical:
      return "critical";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

std::string_view StateName(Coverage::State state) {
  switch (state) {
    case Coverage::State::kFound:
      return "found";
    case Coverage::State::kHealthy:
      return "healthy";
    case Coverage::State::kPartly:
      return "partly";
    case Coverage::State::kNotRecorded:
      return "not_recorded";
    case Coverage::State::kNothingThere:
      break;
  }
  return "nothing_there";
}

}  // namespace

void WriteAnalysisRows(const TableParts& parts, TableWriter& writer) {
  if (parts.overview != nullptr && writer.Begin("findings")) {
    uint64_t number = 0;
    for (const Finding& finding : parts.overview->findings) {
      writer.Row(++number, SeverityName(finding.severity), SignalName(finding.signal), finding.kind,
                 KnownText(finding.subject), finding.title, finding.evidence,
                 KnownText(finding.command), finding.impact);
    }
  }
  if (parts.overview != nullptr && writer.Begin("coverage")) {
    for (const Coverage& coverage : parts.overview->coverage) {
      writer.Row(SignalName(coverage.signal), StateName(coverage.state),
                 KnownText(coverage.looked_at), KnownText(coverage.note));
    }
  }
  if (writer.Begin("measures")) {
    for (const Measure& measure : parts.measures) {
      const std::optional<Signal> of = measure.kind->signal;
      const auto signal = of ? std::optional(SignalName(*of)) : std::nullopt;
      writer.Row(measure.kind->name, measure.subject, signal, UnitName(measure.kind->unit),
                 measure.value, measure.error);
    }
  }
}

}  // namespace hindsight::analyzer
