#include <algorithm>
#include <utility>

#include "analyzer/analyses/gc/gc_words.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/json.h"

namespace hindsight::analyzer {
namespace {

std::string_view SeverityName(GcFinding::Severity severity) {
  switch (severity) {
    case GcFinding::Severity::kBad:
      return "bad";
    case GcFinding::Severity::kWarning:
      return "warning";
    case GcFinding::Severity::kNote:
      break;
  }
  return "note";
}

Json Sums(const GcReport& report, const PauseSums& sums) {
  return {{"count", sums.count},
          {"total_ns", sums.total_ns},
          {"share_of_time", report.ShareOfTime(sums.total_ns)},
          {"stopping_ns", sums.stopping_ns},
          {"longest_stopping_ns", sums.longest_stopping_ns},
          {"p50_ns", sums.lengths.Quantile(0.5)},
          {"p99_ns", sums.lengths.Quantile(0.99)},
          {"max_ns", sums.lengths.count() == 0 ? 0 : sums.lengths.max()}};
}

Json Pauses(const GcReport& report) {
  Json kinds = Json::array();
  for (const PauseGroup& group : report.groups) {
    Json kind = {{"kind", PauseKindKey(group.kind)}};
    kind.update(Sums(report, group.sums));
    kinds.push_back(std::move(kind));
  }
  Json worst = Json::array();
  for (const Pause& pause : report.worst) {
    worst.push_back(
        {{"at_ns", pause.suspension->at_ns},
         {"total_ns", pause.suspension->total_ns},
         {"stopping_ns", pause.suspension->stopping_ns},
         {"kind", PauseKindKey(pause.kind)},
         {"collection", pause.collection == nullptr ? Json() : Json(pause.collection->number)}});
  }
  Json pauses = Sums(report, report.all);
  pauses["by_kind"] = std::move(kinds);
  pauses["worst"] = std::move(worst);
  return pauses;
}

Json Collections(const GcReport& report) {
  Json reasons = Json::array();
  for (const CollectionGroup& group : report.reasons) {
    reasons.push_back({{"generation", group.generation},
                       {"background", group.is_background},
                       {"reason", group.reason < 0 ? Json() : Json(group.reason)},
                       {"why", GcReasonLabel(group.reason, group.induced)},
                       {"induced", group.induced},
                       {"count", group.count},
                       {"compacting", group.compacting},
                       {"pause_ns", group.pause_ns},
                       {"worst_pause_ns", group.worst_pause_ns},
                       {"promoted_bytes", group.promoted_bytes}});
  }
  return {{"count", report.collections},
          {"by_generation", report.counts},
          {"induced", report.induced},
          {"detailed", report.detailed},
          {"by_reason", std::move(reasons)}};
}

Json Heap(const GcReport& report) {
  if (report.detailed == 0) return nullptr;
  Json generations = Json::array();
  for (size_t i = 0; i < report.generations.size(); ++i) {
    const GenerationTrend& trend = report.generations[i];
    if (!trend.known) continue;
    generations.push_back({{"name", GenerationLabel(i)},
                           {"first_bytes", trend.first_bytes},
                           {"last_bytes", trend.last_bytes},
                           {"peak_bytes", trend.peak_bytes},
                           {"free_bytes", trend.last_free_bytes},
                           {"promoted_bytes", trend.promoted_bytes}});
  }
  return {{"first_bytes", report.first_heap_bytes},
          {"last_bytes", report.last_heap_bytes},
          {"peak_bytes", report.peak_heap_bytes},
          {"peak_at_ns", report.peak_heap_at_ns},
          {"committed_bytes", report.last_committed_bytes},
          {"peak_committed_bytes", report.peak_committed_bytes},
          {"peak_memory_load_percent", report.peak_memory_load},
          {"heaps", report.heaps},
          {"generations", std::move(generations)}};
}

Json Slices(const GcReport& report) {
  Json slices = Json::array();
  for (const GcSlice& slice : report.slices) {
    slices.push_back({{"from_ns", slice.from_ns},
                      {"to_ns", slice.to_ns},
                      {"collections", slice.collections},
                      {"pause_ns", slice.pause_ns},
                      {"longest_pause_ns", slice.longest_pause_ns},
                      {"heap_bytes", slice.heap_bytes},
                      {"generations", slice.generation_bytes},
                      {"promoted_bytes", slice.promoted_bytes},
                      {"pinned_objects", slice.pinned_objects}});
  }
  return slices;
}

}  // namespace

std::string GcJson(const GcReport& report) {
  Json findings = Json::array();
  for (const GcFinding& finding : report.findings) {
    GcSentences sentences = DescribeGcFinding(report, finding);
    findings.push_back({{"kind", GcFindingKey(finding.kind)},
                        {"severity", SeverityName(finding.severity)},
                        {"title", std::move(sentences.title)},
                        {"evidence", std::move(sentences.evidence)},
                        {"next", std::move(sentences.next)},
                        {"cost_ns", finding.cost_ns},
                        {"count", finding.count},
                        {"longest_ns", finding.longest_ns},
                        {"longest_at_ns", finding.longest_at_ns}});
  }
  Json callers = Json::array();
  for (const CollectCaller& caller : report.collect_callers) {
    callers.push_back(
        {{"method", JsonText(report.names.Display(caller.method))}, {"samples", caller.samples}});
  }
  Json jit;
  if (report.has_jit) {
    jit = {{"methods", report.jit_methods},
           {"time_ns", report.jit_ns},
           {"background_ns", report.jit_background_ns},
           {"r2r_rejected", report.r2r_rejected},
           {"tiers", report.jit_tiers}};
  }
  return JsonDump({{"schema", kJsonSchema},
                   {"command", "gc"},
                   {"recording", JsonRecording(*report.model)},
                   {"from_ns", report.from_ns},
                   {"to_ns", report.to_ns},
                   {"healthy", report.is_healthy()},
                   {"verdict", GcVerdict(report)},
                   {"findings", std::move(findings)},
                   {"pauses", Pauses(report)},
                   {"collections", Collections(report)},
                   {"heap", Heap(report)},
                   {"slices", Slices(report)},
                   {"jit", std::move(jit)},
                   {"collect_callers", std::move(callers)}});
}

}  // namespace hindsight::analyzer
