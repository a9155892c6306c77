#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/text.h"
#include "analyzer/report/call_paths_report.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/cpu/cpu_fields.h"
#include "analyzer/report/cpu/cpu_report.h"
#include "analyzer/report/exception_sentences.h"

namespace hindsight::analyzer {
namespace {

Object<PathWeight> CpuWeightFields() {
  return {
      {"cpu_ns", "CPU time", &PathWeight::amount},
      {"samples", "Number of samples", &PathWeight::samples},
  };
}

Object<MethodWeight, CpuAnswer> HottestFields() {
  return {
      {FrameFields(),
       [](auto& method, auto& in) -> const PathFrame& {
         return in.report.paths.frames[method.frame];
       }},
      {"self_ns", "CPU time of the method itself", [](auto& method) { return method.self.amount; }},
      {"samples", "Number of samples", [](auto& method) { return method.self.samples; }},
  };
}

}  // namespace

Object<CpuThread, CpuAnswer> CpuThreadFields() {
  return {
      {"thread", "A thread; null: unknown", ThreadFields(), ThreadAt(&CpuThread::thread)},
      {TextColumn("CPU time").AlignsRight(),
       [](auto& thread) {
         return FormatDuration(static_cast<uint64_t>(std::max(0.0, thread.weight.amount)));
       }},
      {CpuWeightFields(), &CpuThread::weight},
      {TextColumn("share").AlignsRight(),
       [](auto& thread, auto& in) {
         return ShareText(ShareOf(thread.weight, in.report.whole).value);
       }},
      {"share", "Share of the whole, 0 to 1",
       [](auto& thread, auto& in) { return ShareOf(thread.weight, in.report.whole).value; }},
      {"cores", "Average cores used; null: there is no time",
       [](auto& thread, auto& in) {
         const double elapsed_ns = static_cast<double>(in.report.to_ns - in.report.from_ns);
         return IfKnown(elapsed_ns > 0, thread.weight.amount / elapsed_ns);
       }},
      {TextColumn("of a core").AlignsRight(),
       [](auto& thread, auto& in) {
         const double elapsed_ns = static_cast<double>(in.report.to_ns - in.report.from_ns);
         return elapsed_ns > 0 ? ShareText(thread.weight.amount / elapsed_ns) : std::string();
       }},
      {TextColumn("thread").Shrinks(),
       [](auto& thread, auto& in) { return ThreadLabel(*in.model, thread.thread); }},
      {TextColumn("mostly in").Shrinks(),
       [](auto& thread, auto& in) {
         return Printable(in.report.paths.frames[thread.hottest.front().frame].Label());
       }},
      {"hottest", "Its methods, by self", HottestFields(), &CpuThread::hottest},
  };
}

namespace {

// What --focus matched.
struct FocusRow {
  const CpuAnswer& in;
  PathWeight weight;
  Share share;
};

std::optional<FocusRow> FocusOf(const CpuProfileReport& report, const CpuAnswer& in) {
  if (in.query.focus.empty()) return std::nullopt;
  const PathWeight& weight = report.paths.nodes[0].total;
  return FocusRow{in, weight, ShareOf(weight, report.whole)};
}

Object<FocusRow> FocusFields() {
  return {
      {"pattern", "As given", [](auto& row) { return row.in.query.focus; }},
      {"methods", "Methods that match it", [](auto& row) { return row.in.report.focus_matches; }},
      {"cpu_ns", "CPU time", [](auto& row) { return row.weight.amount; }},
      {"share", "Share of the whole, 0 to 1", [](auto& row) { return row.share.value; }},
      {"error", "Sampling error of the share (95 %)", [](auto& row) { return row.share.error; }},
  };
}

std::vector<MethodRow> OwnMethodRows(const CpuProfileReport& report) {
  std::vector<MethodWeight> methods;
  for (const OwnMethod& method : report.own.methods) {
    if (!method.passes_on) methods.push_back({method.frame, method.self, method.total});
  }
  return MethodRows(report.paths.frames, methods, report.whole);
}

Object<CpuProfileReport, CpuAnswer> CpuFields() {
  return {
      HeadFields("cpu"),
      {"recording", "", RecordingFields(), kItsModel},
      {"sampled", "Whether the source was on",
       [](auto& report) { return report.model->facts.cpu_on; }},
      {"period_ns", "CPU time between two samples of a thread",
       [](auto& report) { return report.model->samples.cpu.period_ns; }},
      {"from_ns", "Time range covered: from here", &CpuProfileReport::from_ns},
      {"to_ns", "... to here", &CpuProfileReport::to_ns},
      {CpuWeightFields(), &CpuProfileReport::whole},
      {"cores", "Average cores used", &CpuProfileReport::cores},
      {"unrooted_samples", "Samples with incomplete stacks", &CpuProfileReport::unrooted},
      {"handler_ns", "Time that sampling took on the application's threads, of the whole recording",
       [](auto& report) { return report.model->samples.cpu.handler_ns; }},
      {"cores_over_time", "In equal slices of from_ns to to_ns",
       &CpuProfileReport::cores_over_time},
      {"focus", "What --focus matched; null without it", FocusFields(), &FocusOf},
      {"your_ns", "CPU time in your code, calls into other code included",
       [](auto& report) { return report.own.inside.amount; }},
      {"your_methods",
       "Methods of your assemblies, by total; those that only forward calls are omitted; self "
       "includes calls into other code",
       MethodFields("_ns"), &OwnMethodRows},
      {"methods", "Methods, by self", MethodFields("_ns"),
       [](auto& report) { return MethodRows(report.paths.frames, report.methods, report.whole); }},
      {"threads", "By CPU time", CpuThreadFields(), &CpuProfileReport::threads},
      {"bottom_up", "Whether paths start at the innermost method, or at the focus",
       [](auto&, auto& in) { return in.query.bottom_up; }},
      {"paths", "A tree as rows, in the order of the text report", PathFields("_ns"),
       [](auto& report) { return PathRows(report.paths, report.whole); }},
  };
}

}  // namespace

std::string CpuJson(const CpuProfileReport& report, const CpuQuery& query) {
  return JsonOf(CpuFields(), report, {report.model, report, query});
}

SharedShape CpuShape() { return CpuFields().shape(); }

}  // namespace hindsight::analyzer
