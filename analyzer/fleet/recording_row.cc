#include "analyzer/fleet/recording_row.h"

#include <algorithm>
#include <cmath>

#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

// At most kMostTextBytes, without splitting a character.
std::string Bounded(const std::string& text) {
  size_t size = std::min(text.size(), RecordingRow::kMostTextBytes);
  while (size < text.size() && size > 0 &&
         (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) {
    --size;
  }
  return ValidUtf8(text.substr(0, size));
}

bool IsCovered(Coverage::State state) {
  return state == Coverage::State::kFound || state == Coverage::State::kHealthy ||
         state == Coverage::State::kNothingThere;
}

}  // namespace

void TakeReports(const Reports& reports, RecordingRow& row) {
  const Overview overview = FindAll(reports);
  for (const Coverage& coverage : overview.coverage) {
    if (IsCovered(coverage.state)) row.covered |= 1u << static_cast<unsigned>(coverage.signal);
  }
  for (const Finding& finding : overview.findings) {
    if (row.findings.size() == RecordingRow::kMostFindings) break;
    row.findings.push_back({finding.severity, finding.signal, finding.kind,
                            Bounded(finding.subject), Bounded(finding.title),
                            Bounded(finding.command), finding.impact});
    row.covered |= 1u << static_cast<unsigned>(finding.signal);
  }
  if (!reports.events) return;
  MeasureList list(reports);
  MeasureWaits(reports, list);
  MeasureEvents(*reports.events, list);
  MeasureSamples(*reports.events, list);
  for (const Measure& measure : list.Take()) {
    if (!measure.subject.empty() || !std::isfinite(measure.value)) continue;
    for (size_t i = 0; i < kFleetNumbers.size(); ++i) {
      if (measure.kind->name == kFleetNumbers[i].measure) row.numbers[i] = measure.value;
    }
  }
}

}  // namespace hindsight::analyzer
