#include "analyzer/report/heap/heap_facts.h"
#include "analyzer/report/json.h"
#include "analyzer/report/overview/overview_report.h"

namespace hindsight::analyzer {
namespace {

Json Texts(std::span<const std::string> texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(JsonText(text));
  return out;
}

Json JsonProcess(const Reports& reports) {
  if (reports.events) {
    const RecordingFacts& facts = reports.events->model.facts;
    return {{"application", JsonText(facts.application)},
            {"pid", facts.pid},
            {"host", JsonText(facts.host)},
            {"runtime", JsonText(facts.runtime_version)},
            {"cpus", facts.cpus > 0 ? Json(facts.cpus) : Json()},
            {"sources", Texts(facts.sources)}};
  }
  const HeapModel& heap = reports.heap->model;
  return {
      {"application", JsonText(heap.application)}, {"pid", heap.pid}, {"host", JsonText(heap.host)},
      {"runtime", JsonText(heap.runtime_version)}, {"cpus", nullptr}, {"sources", Json::array()}};
}

bool IsComplete(const OverviewPage& page) {
  const Reports& reports = *page.reports;
  if (!page.damages.empty()) return false;
  if (reports.heap && !reports.heap->model.graph.facts.complete()) return false;
  if (!reports.events) return true;
  const Model& model = reports.events->model;
  if (model.facts.end == RecordingFacts::End::kBrokeOff) return false;
  const Losses& losses = model.losses;
  return losses.DroppedEvents() == 0 && losses.segments == 0 && losses.damaged_bytes == 0 &&
         losses.dangling == 0;
}

Json JsonHealth(const OverviewPage& page) {
  Json recorder;
  if (page.reports->events && page.reports->events->model.recorder.elapsed_ns > 0) {
    const RecorderFacts& cost = page.reports->events->model.recorder;
    recorder = {{"cores", static_cast<double>(cost.cpu_ns) / static_cast<double>(cost.elapsed_ns)},
                {"memory_bytes", cost.memory_bytes},
                {"written_bytes", cost.written_bytes}};
  }
  return {{"complete", IsComplete(page)},
          {"damages", Texts(page.damages)},
          {"recorder", std::move(recorder)}};
}

}  // namespace

std::string OverviewJson(const OverviewPage& page) {
  const Reports& reports = *page.reports;
  Json findings = Json::array();
  for (const Finding& finding : page.overview->findings) {
    findings.push_back({{"severity", SeverityName(finding.severity)},
                        {"signal", SignalName(finding.signal)},
                        {"kind", JsonText(finding.kind)},
                        {"subject", JsonText(finding.subject)},
                        {"title", JsonText(finding.title)},
                        {"evidence", JsonText(finding.evidence)},
                        {"command", JsonText(CommandOf(finding, page.paths))},
                        {"impact", finding.impact}});
  }
  Json coverage = Json::array();
  for (const Coverage& one : page.overview->coverage) {
    coverage.push_back({{"signal", SignalName(one.signal)},
                        {"state", CoverageName(one.state)},
                        {"looked_at", JsonText(one.looked_at)},
                        {"note", JsonText(one.note)}});
  }
  return JsonDump(
      {{"schema", kJsonSchema},
       {"process", JsonProcess(reports)},
       {"recording", reports.events ? JsonRecording(reports.events->model) : Json()},
       {"snapshot", reports.heap ? JsonHeapFacts(reports.heap->model.graph.facts) : Json()},
       {"health", JsonHealth(page)},
       {"healthy", page.overview->is_healthy()},
       {"findings", std::move(findings)},
       {"coverage", std::move(coverage)}});
}

}  // namespace hindsight::analyzer
