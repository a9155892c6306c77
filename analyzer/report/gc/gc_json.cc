#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/gc/gc_descriptions.h"
#include "analyzer/base/text.h"
#include "analyzer/report/common_fields.h"
#include "analyzer/report/gc/gc_fields.h"
#include "analyzer/report/gc/gc_report.h"
#include "analyzer/report/table.h"

namespace hindsight::analyzer {
namespace {

constexpr Named<GcFinding::Severity> kGcSeverities[] = {{GcFinding::Severity::kBad, "bad"},
                                                        {GcFinding::Severity::kWarning, "warning"},
                                                        {GcFinding::Severity::kNote, "note"}};

constexpr size_t kWideEnough = 90;  // columns, to include the time that stopping took

struct DescribedFinding : GcFinding {
  GcSentences sentences;
};

std::vector<DescribedFinding> DescribedFindings(const GcReport& report) {
  std::vector<DescribedFinding> out;
  for (const GcFinding& finding : report.findings) {
    out.push_back({finding, DescribeGcFinding(report, finding)});
  }
  return out;
}

Object<DescribedFinding> GcFindingFields() {
  return {
      {"kind", "What was found, for programs: blocking_gen2",
       [](auto& finding) { return GcFindingKey(finding.kind); }},
      {"severity", "How bad", kGcSeverities, &DescribedFinding::severity},
      {"title", "The finding, in one line", [](auto& finding) { return finding.sentences.title; }},
      {"evidence", "A sentence", [](auto& finding) { return finding.sentences.evidence; }},
      {"next", "What to do", [](auto& finding) { return finding.sentences.next; }},
      {"cost_ns", "Pauses that it cost", &DescribedFinding::cost_ns},
      {"count", "How many collections or pauses", &DescribedFinding::count},
      {"longest_ns", "The longest", &DescribedFinding::longest_ns},
      {"longest_at_ns", "When that was", &DescribedFinding::longest_at_ns},
  };
}

Object<PauseSums, GcReport> PauseSumFields() {
  return {
      {"count", "How many", &PauseSums::count, TextColumn("pauses")},
      {"total_ns", "In total", &PauseSums::total_ns, TextColumn("total")},
      {"share_of_time", "Share of the time range, 0 to 1",
       [](auto& sums, auto& report) { return report.ShareOfTime(sums.total_ns); }},
      {TextColumn("of the time").AlignsRight(),
       [](auto& sums, auto& report) { return FormatPercent(report.ShareOfTime(sums.total_ns)); }},
      {"stopping_ns", "Part of total_ns until all threads had stopped", &PauseSums::stopping_ns,
       TextColumn("stopping").Last().WhenWide(kWideEnough)},
      {"longest_stopping_ns", "Longest time until all threads had stopped",
       &PauseSums::longest_stopping_ns},
      {"p50_ns", "Median", [](auto& sums) { return sums.lengths.Quantile(0.5); },
       TextColumn("p50")},
      {"p99_ns", "99th percentile", [](auto& sums) { return sums.lengths.Quantile(0.99); },
       TextColumn("p99")},
      {TextColumn("longest").AlignsRight(),
       [](auto& sums) { return FormatDuration(sums.longest.suspension->total_ns); }},
      {"max_ns", "The longest",
       [](auto& sums) { return sums.lengths.count() == 0 ? 0 : sums.lengths.max(); }},
  };
}

}  // namespace

Object<PauseGroup, GcReport> PauseGroupFields() {
  return {
      {TextColumn("for").Shrinks(),
       [](auto& group) { return std::string(PauseKindLabel(group.kind)); }},
      {"kind", "What they were for: gen0, gen2_blocking, debugger, ...",
       [](auto& group) { return PauseKindKey(group.kind); }},
      {PauseSumFields(), &PauseGroup::sums},
  };
}

namespace {

// A text about the pause's collection; empty if it had none.
auto OfCollection(auto text_of) {
  return [text_of](const Pause& pause) {
    return pause.collection == nullptr ? std::string() : text_of(*pause.collection);
  };
}

}  // namespace

Object<Pause> PauseFields() {
  return {
      {"at_ns", "When", [](auto& pause) { return pause.suspension->at_ns; }, TextColumn("at")},
      {"total_ns", "How long", [](auto& pause) { return pause.suspension->total_ns; },
       TextColumn("pause")},
      {"stopping_ns", "Part of it until all threads had stopped",
       [](auto& pause) {
         return std::min(pause.suspension->stopping_ns, pause.suspension->total_ns);
       },
       TextColumn("stopping")},
      {TextColumn("for"), [](auto& pause) { return std::string(PauseKindLabel(pause.kind)); }},
      {TextColumn("because").Shrinks(),
       OfCollection([](auto& row) { return GcReasonLabel(row.reason, row.induced); })},
      {"kind", "What it was for", [](auto& pause) { return PauseKindKey(pause.kind); }},
      {"collection", "Number of the collection; null: none",
       [](auto& pause) {
         return pause.collection == nullptr ? std::nullopt
                                            : std::optional(pause.collection->number);
       }},
      {TextColumn("promoted").AlignsRight(),
       OfCollection([](auto& row) { return BytesOrBlank(row.promoted_bytes); })},
      {TextColumn("heap after").AlignsRight(),
       OfCollection([](auto& row) { return BytesOrBlank(HeapAfter(row)); })},
  };
}

namespace {

Object<GcReport, GcReport> PausesFields() {
  return {
      {PauseSumFields(), &GcReport::all},
      {"by_kind", "The same figures by kind, most time first", PauseGroupFields(),
       &GcReport::groups},
      {"worst", "The longest first", PauseFields(), &GcReport::worst},
  };
}

std::string CollectionName(const CollectionGroup& group) {
  std::string name(GenerationLabel(group.generation));
  if (group.generation == 2) name += group.is_background ? ", background" : ", blocking";
  return name;
}

}  // namespace

Object<CollectionGroup> CollectionGroupFields() {
  return {
      {TextColumn("collection"), &CollectionName},
      {"generation", "The oldest generation collected", &CollectionGroup::generation},
      {"background", "Whether they were background collections", &CollectionGroup::is_background},
      {"reason", "The runtime's GCReason; null: unknown",
       [](auto& group) { return IfKnown(group.reason >= 0, group.reason); }},
      {"why", "The reason in words",
       [](auto& group) { return GcReasonLabel(group.reason, group.induced); },
       TextColumn("because").Shrinks()},
      {"induced", "Induced by GC.Collect or the like", &CollectionGroup::induced},
      {"count", "How many", &CollectionGroup::count, TextColumn("count")},
      {"compacting", "Part of them: compacting", &CollectionGroup::compacting,
       TextColumn("compacting").BlankZero()},
      {"pause_ns", "Time the application was paused", &CollectionGroup::pause_ns,
       TextColumn("pauses").BlankZero()},
      {"worst_pause_ns", "The most by one of them", &CollectionGroup::worst_pause_ns,
       TextColumn("worst").BlankZero()},
      {"promoted_bytes", "Survived", &CollectionGroup::promoted_bytes,
       TextColumn("promoted").BlankZero()},
  };
}

namespace {

Object<GcReport> CollectionsSeenFields() {
  return {
      {"count", "How many", &GcReport::collections},
      {"by_generation", "Of generation 0, 1 and 2", &GcReport::counts},
      {"induced", "Induced by GC.Collect or the like", &GcReport::induced},
      {"detailed", "Part of count: fully described", &GcReport::detailed},
      {"by_reason", "Most pause time first", CollectionGroupFields(), &GcReport::reasons},
  };
}

struct NamedTrend : GenerationTrend {
  std::string_view name;
};

std::vector<NamedTrend> KnownTrends(const GcReport& report) {
  std::vector<NamedTrend> out;
  for (size_t i = 0; i < report.generations.size(); ++i) {
    if (report.generations[i].known) out.push_back({report.generations[i], GenerationLabel(i)});
  }
  return out;
}

Object<NamedTrend> GenerationTrendFields() {
  return {
      {"name", "gen0, gen1, gen2, large, pinned", &NamedTrend::name},
      {"first_bytes", "At the beginning", &NamedTrend::first_bytes},
      {"last_bytes", "At the end", &NamedTrend::last_bytes},
      {"peak_bytes", "At most", &NamedTrend::peak_bytes},
      {"free_bytes", "Free space between objects, at the end", &NamedTrend::last_free_bytes},
      {"promoted_bytes", "Survived, by all collections", &NamedTrend::promoted_bytes},
  };
}

Object<GcReport> GcHeapFields() {
  return {
      {"first_bytes", "At the beginning", &GcReport::first_heap_bytes},
      {"last_bytes", "At the end", &GcReport::last_heap_bytes},
      {"peak_bytes", "At most", &GcReport::peak_heap_bytes},
      {"peak_at_ns", "When it was largest", &GcReport::peak_heap_at_ns},
      {"committed_bytes", "Memory of the system, at the end", &GcReport::last_committed_bytes},
      {"peak_committed_bytes", "At most", &GcReport::peak_committed_bytes},
      {"peak_memory_load_percent", "At most, of the machine or container",
       &GcReport::peak_memory_load},
      {"heaps", "How many heaps", &GcReport::heaps},
      {"generations", "By generation", GenerationTrendFields(), &KnownTrends},
  };
}

Object<GcSlice> GcSliceFields() {
  return {
      {"from_ns", "Time range covered: from here", &GcSlice::from_ns},
      {"to_ns", "... to here", &GcSlice::to_ns},
      {"collections", "Of generation 0, 1 and 2", &GcSlice::collections},
      {"pause_ns", "Time the application was paused", &GcSlice::pause_ns},
      {"longest_pause_ns", "The longest pause", &GcSlice::longest_pause_ns},
      {"heap_bytes", "At most, after a collection; 0: unknown", &GcSlice::heap_bytes},
      {"generations", "Bytes in generation 0, 1, 2, large and pinned objects",
       &GcSlice::generation_bytes},
      {"promoted_bytes", "Survived", &GcSlice::promoted_bytes},
      {"pinned_objects", "Pinned, at most", &GcSlice::pinned_objects},
  };
}

Object<GcReport> JitFields() {
  return {
      {"methods", "Methods compiled", &GcReport::jit_methods},
      {"time_ns", "Time spent compiling, all threads", &GcReport::jit_ns},
      {"background_ns", "Part of it on threads of the compiler", &GcReport::jit_background_ns},
      {"r2r_rejected", "Precompiled methods that could not be used", &GcReport::r2r_rejected},
      {"tiers", "Methods by tier", &GcReport::jit_tiers},
  };
}

Object<CollectCaller, GcReport> CollectCallerFields() {
  return {
      {"method", "A method, as C# writes it", MethodAt(&CollectCaller::method)},
      {"calls", "Its calls; 0: calls were not recorded", &CollectCaller::calls},
      {"samples", "CPU samples in its calls, where calls were not recorded",
       &CollectCaller::samples},
  };
}

Object<GcReport, GcReport> GcFields() {
  return {
      HeadFields("gc"),
      {"recording", "", RecordingFields(), kItsModel},
      {"from_ns", "Time range covered: from here", &GcReport::from_ns},
      {"to_ns", "... to here", &GcReport::to_ns},
      {"healthy", "Whether nothing was found", &GcReport::is_healthy},
      {"verdict", "A sentence", &GcVerdict},
      {"findings", "Findings, the worst first", GcFindingFields(), &DescribedFindings},
      {"pauses", "All stop-the-world pauses", PausesFields()},
      {"collections", "Garbage collections", CollectionsSeenFields()},
      {"heap", "The collector's own count; null: unknown", GcHeapFields(),
       [](auto& report) { return report.detailed == 0 ? nullptr : &report; }},
      {"slices", "In equal slices of from_ns to to_ns", GcSliceFields(), &GcReport::slices},
      {"jit", "JIT compilation; null: unknown", JitFields(),
       [](auto& report) { return report.has_jit ? &report : nullptr; }},
      {"collect_callers", "Callers of GC.Collect, most first", CollectCallerFields(),
       &GcReport::collect_callers},
  };
}

}  // namespace

std::string GcJson(const GcReport& report) { return JsonOf(GcFields(), report); }

SharedShape GcShape() { return GcFields().shape(); }

}  // namespace hindsight::analyzer
