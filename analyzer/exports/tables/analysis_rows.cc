#include "analyzer/exports/tables/rows.h"

namespace hindsight::analyzer {
namespace {

SqlTable<Finding> Findings() {
  return {"findings",
          "Findings of `hindsight summary`, the worst first",
          TableSource::kAnalyses,
          1,
          {Numbered<Finding>("finding"),
           {"severity", "critical, warning, note",
            [](auto& finding) { return SeverityName(finding.severity); }},
           {"signal", "deadlocks, tasks, threads, pool, exceptions, heap, ...",
            [](auto& finding) { return SignalName(finding.signal); }},
           {"kind", "for programs: lock-cycle", &Finding::kind},
           {"subject", "the method or type concerned",
            [](auto& finding) { return KnownText(finding.subject); }},
           {"title", "one line", &Finding::title},
           {"evidence", "one line", &Finding::evidence},
           {"command", "the hindsight command that shows more",
            [](auto& finding) { return KnownText(finding.command); }},
           {"impact", "0 to 1: share of the process affected", &Finding::impact}}};
}

SqlTable<Coverage> CoverageTable() {
  return {"coverage",
          "What was examined, by signal",
          TableSource::kAnalyses,
          1,
          {{"signal", "", [](auto& row) { return SignalName(row.signal); }},
           {"state", "found, healthy, partly, not_recorded, nothing_there",
            [](auto& row) { return CoverageName(row.state); }},
           {"looked_at", "", [](auto& row) { return KnownText(row.looked_at); }},
           {"note", "", [](auto& row) { return KnownText(row.note); }}}};
}

SqlTable<Measure> Measures() {
  return {"measures",
          "Every number in the reports, by name; none for what was not recorded",
          TableSource::kAnalyses,
          2,
          {{"measure", "gc.pause.p99", [](auto& measure) { return measure.kind->name; }},
           {"subject", "the type or method concerned; '': the whole process", &Measure::subject},
           {"signal", "",
            [](auto& measure) {
              const std::optional<Signal> signal = measure.kind->signal;
              return signal ? std::optional(SignalName(*signal)) : std::nullopt;
            }},
           {"unit", "count, nanoseconds, bytes, share, per_second, bytes_per_second, cores",
            [](auto& measure) { return UnitName(measure.kind->unit); }},
           {"value", "", &Measure::value},
           {"error", "sampling error: the true value is within value +- error 19 times in 20",
            &Measure::error}}};
}

}  // namespace

std::vector<TableSchema> AnalysisTables() { return {Findings(), CoverageTable(), Measures()}; }

void WriteAnalyses(const TableParts& parts, TableWriter& writer) {
  if (parts.overview != nullptr) {
    WriteRows(Findings(), parts.overview->findings, {}, writer);
    WriteRows(CoverageTable(), parts.overview->coverage, {}, writer);
  }
  WriteRows(Measures(), parts.measures, {}, writer);
}

}  // namespace hindsight::analyzer
