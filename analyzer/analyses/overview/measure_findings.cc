// Measures of what all analyses found.
#include <array>

#include "analyzer/analyses/overview/finding.h"
#include "analyzer/analyses/overview/measure_list.h"

namespace hindsight::analyzer {

void MeasureFindings(const Reports& reports, MeasureList& list) {
  const Overview overview = FindAll(reports);
  std::array<double, 3> counts{};  // indexed by Severity
  for (const Finding& finding : overview.findings) {
    counts[static_cast<size_t>(finding.severity)] += 1;
    list.AddOf("findings.count", "kind", finding.kind, 1);
  }
  list.Add("findings.critical", counts[0]);
  list.Add("findings.warning", counts[1]);
  list.Add("findings.note", counts[2]);
}

}  // namespace hindsight::analyzer
