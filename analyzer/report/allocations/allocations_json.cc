#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/allocations/allocations_common.h"
#include "analyzer/report/allocations/allocations_fields.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/exception_sentences.h"

namespace hindsight::analyzer {
namespace {

struct AllocationsAnswer {
  const Model* model;
  const AllocationReport& report;
  const AllocationQuery& query;

  operator const AllocationReport&() const { return report; }
};

std::vector<std::pair<std::string_view, const PathWeight*>> HeapsOf(
    const AllocationReport& report) {
  constexpr std::string_view kNames[AllocationReport::kHeaps] = {"small", "large", "pinned",
                                                                 "unknown"};
  std::vector<std::pair<std::string_view, const PathWeight*>> heaps;
  for (size_t i = 0; i < AllocationReport::kHeaps; ++i) {
    if (report.heaps[i].samples > 0) heaps.emplace_back(kNames[i], &report.heaps[i]);
  }
  return heaps;
}

}  // namespace

Object<AllocatedType, AllocationReport> AllocatedTypeFields() {
  return {
      {"type", "A type, as C# writes it", &AllocatedType::name,
       TextColumn("type").Shrinks().Last()},
      {AllocatedFields(), &AllocatedType::weight},
      {TextColumn("bytes").AlignsRight(),
       [](auto& type) { return EstimatedBytes(type.weight.amount); }},
      {"share", "Share of the whole, 0 to 1",
       [](auto& type, auto& report) { return ShareOf(type.weight, report.whole).value; }},
      {TextColumn("share").AlignsRight(),
       [](auto& type, auto& report, auto& style) {
         return ShareText(style, ShareOf(type.weight, report.whole));
       }},
      {TextColumn("objects").AlignsRight(),
       [](auto& type) { return EstimatedCount(type.weight.count); }},
      {TextColumn("each").AlignsRight(),
       [](auto& type) {
         const PathWeight& weight = type.weight;
         return weight.count > 0 ? EstimatedBytes(weight.amount / weight.count) : std::string();
       }},
      {TextColumn("samples").AlignsRight(),
       [](auto& type) { return FormatCount(type.weight.samples); }},
      {"site", "The method that allocated most of it: the innermost that is not infrastructure",
       [](auto& type, auto& report) { return report.paths.frames[type.site].name; },
       TextColumn("mostly by").Shrinks().Last()},
      {"site_bytes", "Bytes that it allocated", [](auto& type) { return type.site_weight.amount; }},
  };
}

Object<AllocatingThread, AllocationReport> AllocatingThreadFields() {
  return {
      {"thread", "A thread; null: unknown", ThreadFields(), ThreadAt(&AllocatingThread::thread)},
      {AllocatedFields(), &AllocatingThread::weight},
      {TextColumn("bytes").AlignsRight(),
       [](auto& thread) { return EstimatedBytes(thread.weight.amount); }},
      {TextColumn("share").AlignsRight(),
       [](auto& thread, auto& report) {
         return ShareText(ShareOf(thread.weight, report.whole).value);
       }},
      {TextColumn("samples").AlignsRight(),
       [](auto& thread) { return FormatCount(thread.weight.samples); }},
      {TextColumn("thread").Shrinks(),
       [](auto& thread, auto& report) {
         return Printable(ThreadLabel(*report.model, thread.thread));
       }},
      {"type", "The type of which it allocated most", &AllocatingThread::type,
       TextColumn("mostly").Shrinks()},
  };
}

namespace {

Object<AllocationReport, AllocationsAnswer> AllocationsFields() {
  return {
      HeadFields("allocations"),
      {"recording", "", RecordingFields(), kItsModel},
      {"sampled", "Whether the source was on",
       [](auto& report) { return report.model->facts.allocations_on; }},
      {"sampling", kSamplingMeaning, kSamplings,
       [](auto& report) { return report.model->samples.allocations.sampling; }},
      {"mean_bytes", "Between two samples",
       [](auto& report) { return report.model->samples.allocations.mean_bytes; }},
      {"from_ns", "Time range covered: from here", &AllocationReport::from_ns},
      {"to_ns", "... to here", &AllocationReport::to_ns},
      {AllocatedFields(), &AllocationReport::whole},
      {"bytes_per_second", "Allocated per second",
       [](auto& report) {
         return report.seconds() > 0 ? report.whole.amount / report.seconds() : 0;
       }},
      {"heaps", "By heap, those with any: small, large, pinned, unknown", AllocatedFields(),
       &HeapsOf},
      {"bytes_over_time", "In equal slices of from_ns to to_ns",
       &AllocationReport::bytes_over_time},
      {"types", "By bytes", AllocatedTypeFields(), &AllocationReport::types},
      {"methods", "Methods, by self", MethodFields("_bytes"),
       [](auto& report) { return MethodRows(report.paths.frames, report.methods, report.whole); }},
      {"threads", "By bytes", AllocatingThreadFields(), &AllocationReport::threads},
      {"bottom_up", "Whether paths start at the innermost method, or at the focus",
       [](auto&, auto& in) { return in.query.bottom_up; }},
      {"paths", "A tree as rows, in the order of the text report", PathFields("_bytes"),
       [](auto& report) { return PathRows(report.paths, report.whole); }},
  };
}

}  // namespace

std::string AllocationsJson(const AllocationReport& report, const AllocationQuery& query) {
  return JsonOf(AllocationsFields(), report, {report.model, report, query});
}

SharedShape AllocationsShape() { return AllocationsFields().shape(); }

}  // namespace hindsight::analyzer
