#include "analyzer/report/allocations/allocations_common.h"
#include "analyzer/report/allocations/retained_fields.h"
#include "analyzer/report/allocations/retained_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/heap/heap_fields.h"

namespace hindsight::analyzer {
Object<RetainedType, SurvivorsAnswer> SurvivorTypeFields() {
  return {
      {TextColumn("bytes").AlignsRight(),
       [](auto& type) { return EstimatedBytes(type.weight.amount); }},
      {TextColumn("share").AlignsRight(),
       [](auto& type, auto& in, auto& style) {
         return ShareText(style, ShareOf(type.weight, in.report.whole));
       }},
      {TextColumn("objects").AlignsRight(),
       [](auto& type) { return EstimatedCount(type.weight.count); }},
      {"type", "A type, as C# writes it", &RetainedType::name, TextColumn("type").Shrinks().Last()},
      {AllocatedFields(), &RetainedType::weight},
      {"share", "Share of the whole, 0 to 1",
       [](auto& type, auto& in) { return ShareOf(type.weight, in.report.whole).value; }},
      {"youngest_ns", "Age of the youngest sample", &RetainedType::youngest_ns},
      {"median_age_ns", "Median age of the samples", &RetainedType::median_age_ns,
       TextColumn("age")},
      {"oldest_ns", "Age of the oldest sample", &RetainedType::oldest_ns},
      {"site", "The method that allocated most of it: the innermost that is not infrastructure",
       [](auto& type, auto& in) { return in.report.paths.frames[type.site].name; },
       TextColumn("mostly by").Shrinks().Last()},
      {"site_bytes", "Bytes that it allocated", [](auto& type) { return type.site_weight.amount; }},
  };
}

namespace {

Object<Survivors> SurvivorFields() {
  return {
      {"recorded", "Whether the snapshot has allocation sites", &Survivors::recorded},
      {"sampling", kSamplingMeaning, kSamplings, &Survivors::sampling},
      {"mean_bytes", "Between two samples", &Survivors::mean_bytes},
      {"stride", "One in this many samples was tracked", &Survivors::stride},
      {"followed_ns",
       "Time before the snapshot since which objects were tracked; older ones are not included",
       &Survivors::followed_ns},
  };
}

Object<RetainedAllocations, SurvivorsAnswer> SurvivorReportFields() {
  return {
      HeadFields("allocations"),
      {"retained", "With --retained: true", [](auto&) { return true; }},
      {"heap", "", HeapFields(), kItsHeap},
      {SurvivorFields(), [](auto&, auto& in) -> const Survivors& { return in.model->survivors; }},
      {AllocatedFields(), &RetainedAllocations::whole},
      {"median_age_ns", "Of the samples, at the snapshot", &RetainedAllocations::median_age_ns},
      {"unreachable", "Not reachable from a root", AllocatedFields(),
       &RetainedAllocations::unreachable},
      {"misplaced_samples", "Omitted: no object begins at their address",
       [](auto&, auto& in) { return in.model->survivors.misplaced; }},
      {"types", "By bytes", SurvivorTypeFields(), &RetainedAllocations::types},
      {"methods", "Methods, by self", MethodFields("_bytes"),
       [](auto& report) { return MethodRows(report.paths.frames, report.methods, report.whole); }},
      {"bottom_up", "Whether paths start at the innermost method, or at the focus",
       [](auto&, auto& in) { return in.query.bottom_up; }},
      {"paths", "A tree as rows, in the order of the text report", PathFields("_bytes"),
       [](auto& report) { return PathRows(report.paths, report.whole); }},
  };
}

}  // namespace

std::string RetainedAllocationsJson(const HeapModel& model, const RetainedAllocations& report,
                                    const AllocationQuery& query) {
  return JsonOf(SurvivorReportFields(), report, {&model, report, query});
}

SharedShape RetainedAllocationsShape() { return SurvivorReportFields().shape(); }

}  // namespace hindsight::analyzer
