#include "analyzer/analyses/gc/gc_descriptions.h"

#include <algorithm>
#include <array>

#include "analyzer/base/text.h"

namespace hindsight::analyzer {
namespace {

using Kind = GcFinding::Kind;

// gc_reason of the runtime's gcpriv.h, by number.
constexpr std::array<std::string_view, 18> kReasons = {
    "gen0 was full",
    "GC.Collect",
    "memory was low",
    "unspecified",
    "large objects were allocated",
    "no room for small objects",
    "no room for large objects",
    "GC.Collect, not forced",
    "GC stress",
    "memory was low (blocking)",
    "GC.Collect, compacting",
    "low memory, reported by the host",
    "fragmentation, under high memory load",
    "low memory, reported by the host (blocking)",
    "tuning, small objects",
    "tuning, large objects",
    "provisional-mode collection",
    "GC.Collect, aggressive",
};

std::string Longest(const GcFinding& finding) {
  return "the longest took " + FormatDuration(finding.longest_ns) + ", at " +
         FormatMoment(finding.longest_at_ns);
}

std::string CostOf(const GcReport& report, const GcFinding& finding) {
  return FormatDuration(finding.cost_ns) + " of pauses, " +
         FormatPercent(report.ShareOfTime(finding.cost_ns)) + " of the time; " + Longest(finding) +
         ".";
}

GcSentences Induced(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  out.title = "GC.Collect called explicitly";
  out.evidence = Plural(finding.count, "collection") + " of " + FormatCount(report.collections) +
                 (finding.count == 1 ? " was" : " were") + " induced, " +
                 FormatCount(finding.before) + " of them full (gen2): " + CostOf(report, finding);
  if (report.collect_callers.empty()) {
    out.next =
        "The caller was not recorded. Search your code and its libraries for GC.Collect, "
        "GC.AddMemoryPressure and GC.TryStartNoGCRegion, and remove the calls: the collector "
        "decides better when to run.";
  } else {
    out.next =
        CollectCallersText(report) + " Remove the call: the collector decides better when to run.";
  }
  return out;
}

GcSentences BlockingGen2(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  out.title = "Blocking full collections";
  if (finding.reason >= 0) out.title += ": " + GcReasonLabel(finding.reason, false);
  out.evidence = Plural(finding.count, "blocking gen2 collection") + ": " + CostOf(report, finding);
  switch (finding.reason) {
    case -1:
      out.next =
          "Their reason was not recorded: they ran before runtime events were enabled, or the "
          "source `gc` was off.";
      break;
    case 2:
    case 9:
    case 11:
    case 12:
    case 13:
      out.next =
          "The machine or container is low on memory, so the collector compacts instead of "
          "collecting in the background. Add memory or lower GCHeapHardLimit; `hindsight leaks` "
          "shows what holds memory.";
      break;
    case 4:
    case 6:
      out.next =
          "Objects of 85,000 bytes and more go to the large object heap, which only gen2 "
          "collections clean: pool them (ArrayPool). `hindsight allocations --heap large` shows "
          "where they are allocated.";
      break;
    case 5:
      out.next =
          "The heap could not grow: check the memory limit (GCHeapHardLimit, the container), and "
          "`hindsight leaks` for what holds memory.";
      break;
    default:
      out.next =
          "Background collections would let the application run: is concurrent GC off "
          "(DOTNET_gcConcurrent=0, System.GC.Concurrent)? If not, gen2 fills faster than they can "
          "keep up: `hindsight allocations` shows what is allocated, `hindsight leaks` what stays.";
  }
  return out;
}

GcSentences OfYoung(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  const uint64_t young = report.counts[0] + report.counts[1];
  const bool are_frequent = static_cast<double>(young) >= report.seconds();
  out.title = std::string(are_frequent ? "Frequent" : "Slow") + " young-generation collections";
  out.evidence = Plural(young, "gen0 and gen1 collection") + ": " + CostOf(report, finding);
  out.next =
      "Their cost depends on how much is allocated and how much survives: `hindsight allocations` "
      "shows what and where.";
  if (report.is_workstation) {
    out.next +=
        " This is Workstation GC: if the process has several processors to itself, Server GC "
        "(System.GC.Server) collects less often and uses all of them.";
  }
  return out;
}

GcSentences OfHeap(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  switch (finding.kind) {
    case Kind::kMidLife:
      out.title = "Objects die soon after promotion to gen2 (mid-life crisis)";
      out.evidence = FormatCount(finding.count) + " of " + Plural(finding.before, "collection") +
                     " had to collect gen2 because small objects filled it: " +
                     FormatDuration(finding.cost_ns) + " of pauses.";
      out.next =
          "Objects that live for one request or batch should die in gen0: look for short-lived "
          "caches and buffers kept across awaits (`hindsight allocations`, `hindsight "
          "generations`).";
      break;
    case Kind::kLargeObjects:
      out.title = "Large objects cause gen2 collections";
      out.evidence = FormatCount(finding.count) + " of " +
                     Plural(finding.before, "gen2 collection") +
                     " were triggered by them: " + FormatDuration(finding.cost_ns) +
                     " of pauses; each one marks the whole heap.";
      out.next =
          "Reuse arrays of 85,000 bytes and more (rent them from ArrayPool, and return them), or "
          "build them in chunks; `hindsight allocations --heap large` shows where they are "
          "allocated.";
      break;
    case Kind::kHeapGrows:
      out.title = "The heap grows";
      out.evidence = "After " + Plural(finding.count, "gen2 collection") + " from " +
                     FormatMoment(finding.longest_at_ns) + " on, live bytes went from " +
                     FormatBytes(finding.before) + " to " + FormatBytes(finding.after) + ".";
      out.next =
          "Either caches are still filling, or something leaks: take two heap snapshots a few "
          "minutes apart; `hindsight leaks` examines one, `hindsight diff` compares them.";
      break;
    case Kind::kFragmentation: {
      const std::string where =
          finding.generation == 2
              ? "gen2"
              : "the " + std::string(GenerationLabel(finding.generation)) + " object heap";
      out.title = FormatPercent(static_cast<double>(finding.after) /
                                static_cast<double>(std::max<uint64_t>(1, finding.before))) +
                  " of " + where + " is free space between objects";
      out.evidence = "Fragmentation: " + FormatBytes(finding.after) + " of " +
                     FormatBytes(finding.before) + ".";
      out.next = finding.generation == 2
                     ? "Pinned objects in old generations prevent compaction: allocate long-lived "
                       "pinned buffers with GC.AllocateArray(pinned: true)."
                     : "Ordinary collections do not move large objects: pool them, or use few "
                       "distinct sizes, so that free space can be reused.";
      break;
    }
    case Kind::kPinned:
      out.title = "Pinned objects";
      out.evidence = "A collection at " + FormatMoment(finding.longest_at_ns) + " found " +
                     FormatCount(finding.count) + " pinned objects.";
      out.next =
          "Long-lived pinned buffers belong on the pinned object heap: GC.AllocateArray(pinned: "
          "true).";
      break;
    case Kind::kFinalizers:
      out.title = "Objects kept alive by finalizers";
      out.evidence = "A collection at " + FormatMoment(finding.longest_at_ns) + " kept " +
                     FormatCount(finding.count) +
                     " dead objects alive just to run their finalizers.";
      out.next =
          "Dispose them (`using`), which suppresses the finalizer; `hindsight generations` shows "
          "which types are waiting for theirs in a heap snapshot.";
      break;
    case Kind::kHandles:
      out.title = "GC handles accumulate";
      out.evidence = "Their number rose from " + FormatCount(finding.before) + " to " +
                     FormatCount(finding.after) + ".";
      out.next =
          "Usual causes: GCHandle.Alloc without Free, timers, native callbacks. `hindsight leaks` "
          "names what they hold.";
      break;
    default:
      out.title = "The machine or container is low on memory";
      out.evidence = Plural(finding.count, "collection") +
                     " found at least 90 % of it in use, at most " +
                     FormatMoment(finding.longest_at_ns) + " " + FormatCount(finding.after) +
                     " %; the heap had at most " + FormatBytes(report.peak_heap_bytes) + ".";
      out.next =
          "From 90 % on, the collector prefers blocking, compacting collections: give the process "
          "more memory, or find what holds it (`hindsight leaks`).";
  }
  return out;
}

GcSentences OfStops(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  switch (finding.kind) {
    case Kind::kSlowStops:
      out.title = "Threads are slow to suspend";
      out.evidence =
          "In " + Plural(finding.count, "pause") +
          ", suspending all threads took 10 ms or more: " + FormatDuration(finding.cost_ns) +
          " in total, at most " + FormatDuration(finding.longest_ns) + ", at " +
          FormatMoment(finding.longest_at_ns) + ". The collector is not the cause.";
      out.next =
          "A thread ran without reaching a safe point (long loops over spans or vectors, a "
          "P/Invoke with SuppressGCTransition), or got no processor: check the machine's load, the "
          "container's CPU limit, and paging.";
      break;
    case Kind::kThreadSnapshots:
      out.title = "Hindsight's own thread snapshots";
      out.evidence = Plural(finding.count, "pause") + ": " + CostOf(report, finding);
      out.next = "Take them less often: `waits.every=1m`, or `off`.";
      break;
    default:
      out.title = "Pauses other than GC: " + std::string(PauseKindLabel(finding.pause_kind));
      out.evidence = Plural(finding.count, "pause") + ": " + CostOf(report, finding);
      out.next = finding.pause_kind == PauseKind::kDebugger
                     ? "A debugger or a dump tool stopped the process."
                 : finding.pause_kind == PauseKind::kRuntimeMaintenance
                     ? "Tiered compilation and code replacement suspend all threads; both are "
                       "frequent while an application warms up."
                     : "A profiler or hot reload is changing running code.";
  }
  return out;
}

// What a verdict of "healthy" says about notable pauses.
std::string ExcuseOf(const GcReport& report) {
  switch (report.excuse) {
    case PausesExcuse::kNone:
      return {};
    case PausesExcuse::kNoProcessor:
      return " The machine made them long: meanwhile the process used " +
             FormatDuration(report.pauses_cpu_ns) + " of the processors.";
    case PausesExcuse::kNotRecorded:
      return " Most of them are not judged: what they were for was not recorded.";
    case PausesExcuse::kFew:
      return " They are too few to be a problem.";
    case PausesExcuse::kSeveralCauses:
      return " They have several causes, none of which takes much of the time.";
  }
  return {};
}

}  // namespace

std::string CollectCallersText(const GcReport& report) {
  const std::vector<CollectCaller>& callers = report.collect_callers;
  if (callers.empty()) return {};
  const size_t shown = std::min<size_t>(2, callers.size());
  const bool are_recorded = callers.front().calls != 0;
  std::string out = are_recorded ? "Called by " : "CPU samples saw it called by ";
  for (size_t i = 0; i < shown; ++i) {
    out += (i == 0 ? "" : " and ") + Printable(report.names.Display(callers[i].method));
    if (are_recorded) out += " (" + Plural(callers[i].calls, "time") + ")";
  }
  return out + ".";
}

std::string_view PauseKindLabel(PauseKind kind) {
  static constexpr std::array<std::string_view, kPauseKinds> kLabels = {
      "gen0",
      "gen1",
      "gen2, blocking",
      "gen2, background",
      "collections without details",
      "runtime maintenance",
      "code changes",
      "Hindsight's thread snapshots",
      "a debugger",
      "shutdown"};
  return kLabels[static_cast<size_t>(kind)];
}

std::string_view PauseKindKey(PauseKind kind) {
  static constexpr std::array<std::string_view, kPauseKinds> kKeys = {
      "gen0",   "gen1",        "gen2_blocking",   "gen2_background", "unknown_collection",
      "upkeep", "code_change", "thread_snapshot", "debugger",        "shutdown"};
  return kKeys[static_cast<size_t>(kind)];
}

std::string GcReasonLabel(int32_t reason, bool induced) {
  if (reason < 0) return induced ? "GC.Collect" : "unknown";
  if (static_cast<size_t>(reason) < kReasons.size()) {
    return std::string(kReasons[static_cast<size_t>(reason)]);
  }
  return "reason " + std::to_string(reason) + ", of a newer runtime";
}

std::string_view GenerationLabel(size_t generation) {
  static constexpr std::array<std::string_view, 5> kLabels = {"gen0", "gen1", "gen2", "large",
                                                              "pinned"};
  return generation < kLabels.size() ? kLabels[generation] : "?";
}

GcSentences DescribeGcFinding(const GcReport& report, const GcFinding& finding) {
  switch (finding.kind) {
    case Kind::kInduced:
      return Induced(report, finding);
    case Kind::kBlockingGen2:
      return BlockingGen2(report, finding);
    case Kind::kYoungCollections:
      return OfYoung(report, finding);
    case Kind::kSlowStops:
    case Kind::kThreadSnapshots:
    case Kind::kRuntimePauses:
      return OfStops(report, finding);
    default:
      return OfHeap(report, finding);
  }
}

std::string_view GcFindingKey(GcFinding::Kind kind) {
  static constexpr std::array<std::string_view, 14> kKeys = {
      "induced",        "blocking_gen2",   "slow_stops", "young_collections",
      "mid_life",       "large_objects",   "heap_grows", "fragmentation",
      "pinned",         "finalizers",      "handles",    "memory_load",
      "runtime_pauses", "thread_snapshots"};
  return kKeys[static_cast<size_t>(kind)];
}

std::string GcVerdict(const GcReport& report) {
  if (report.all.count == 0) {
    if (report.model->facts.gc_on && report.model->losses.MayHideEvents()) {
      return "No collection or pause was recorded in this period, but some may be among the lost "
             "events.";
    }
    return report.model->facts.gc_on
               ? "No collection or pause in this period."
               : "Collections and pauses were not recorded: record with `sources=+gc`.";
  }
  const std::string share = FormatPercent(report.ShareOfTime(report.all.total_ns));
  const std::string longest = FormatDuration(report.all.longest.suspension->total_ns);
  if (report.is_healthy()) {
    const std::string excuse = ExcuseOf(report);
    return (excuse.empty() ? "Pauses are healthy: they took " : "Pauses took ") + share +
           " of the time, and the longest " + longest + "." + excuse;
  }
  return "Pauses took " + share + " of the time, the longest " + longest + " at " +
         FormatMoment(report.all.longest.suspension->at_ns) + ".";
}

}  // namespace hindsight::analyzer
