#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
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
      writer.Row(SignalName(coverage.signal), CoverageName(coverage.state),
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
