#include "analyzer/analyses/gc/gc_words.h"

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
    "not told",
    "large objects were allocated",
    "no room for small objects",
    "no room for large objects",
    "GC.Collect, not forced",
    "GC stress",
    "memory was low (blocking)",
    "GC.Collect, compacting",
    "the host said that memory is low",
    "fragmentation, under high memory load",
    "the host said that memory is low (blocking)",
    "tuning, small objects",
    "tuning, large objects",
    "stepwise background collection",
    "GC.Collect, aggressive",
};

std::string Longest(const GcFinding& finding) {
  return "the longest took " + FormatDuration(finding.longest_ns) + ", at " +
         AtTime(finding.longest_at_ns);
}

std::string CostOf(const GcReport& report, const GcFinding& finding) {
  return FormatDuration(finding.cost_ns) + " of pauses, " +
         FormatPercent(report.ShareOfTime(finding.cost_ns)) + " of the time; " + Longest(finding) +
         ".";
}

GcSentences Induced(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  out.title = "Collections that somebody asked for";
  out.evidence = Plural(finding.count, "collection") + " of " + FormatCount(report.collections) +
                 (finding.count == 1 ? " was" : " were") + " induced, " +
                 FormatCount(finding.before) + " of all generations: " + CostOf(report, finding);
  if (report.collect_callers.empty()) {
    out.next =
        "The runtime does not tell who asks. Search the code and its libraries for GC.Collect, "
        "GC.AddMemoryPressure and GC.TryStartNoGCRegion; the collector knows better when to run.";
  } else {
    out.next = "CPU samples saw it called by ";
    const size_t shown = std::min<size_t>(2, report.collect_callers.size());
    for (size_t i = 0; i < shown; ++i) {
      out.next += (i == 0 ? "" : " and ") +
                  Printable(report.names.Display(report.collect_callers[i].method));
    }
    out.next += ". The collector knows better when to run: take the call out.";
  }
  return out;
}

GcSentences BlockingGen2(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  out.title = "Full collections that stop the application: " + GcReasonLabel(finding.reason, false);
  out.evidence = Plural(finding.count, "blocking gen2 collection") + ": " + CostOf(report, finding);
  switch (finding.reason) {
    case -1:
      out.next =
          "Why they ran is not recorded: collections from before the runtime's events were on, or "
          "a recording without the source `gc`.";
      break;
    case 2:
    case 9:
    case 11:
    case 12:
    case 13:
      out.next =
          "Memory of the machine or container is short, so that the collector compacts instead of "
          "working in the background: give it more memory or a lower GCHeapHardLimit, and see "
          "`hindsight leaks` for what holds it.";
      break;
    case 4:
    case 6:
      out.next =
          "Arrays and strings of 85,000 bytes and more live on the large object heap, which only "
          "gen2 collections clean: pool them (ArrayPool). `hindsight allocations --heap large` "
          "shows who allocates them.";
      break;
    case 5:
      out.next =
          "The heap could not be extended: look at the memory limit (GCHeapHardLimit, the "
          "container), and at `hindsight leaks` for what holds the heap.";
      break;
    default:
      out.next =
          "Background collections would let the application run meanwhile: is concurrent GC "
          "switched off (DOTNET_gcConcurrent=0, System.GC.Concurrent)? If not, gen2 fills faster "
          "than they can follow: `hindsight allocations` shows what is allocated, `hindsight "
          "leaks` what stays.";
  }
  return out;
}

GcSentences OfYoung(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  out.title = "Collections of young objects";
  const uint64_t young = report.counts[0] + report.counts[1];
  out.evidence = Plural(young, "gen0 and gen1 collection") + ": " + CostOf(report, finding);
  out.next =
      "Their cost follows from how much is allocated and how much of it survives: `hindsight "
      "allocations` shows what and where.";
  const bool workstation = report.heaps == 1 && report.detailed > 0;
  if (workstation) {
    out.next +=
        " This is Workstation GC: with several processors to itself, Server GC "
        "(System.GC.Server) collects more rarely and with all of them.";
  }
  return out;
}

GcSentences OfHeap(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  switch (finding.kind) {
    case Kind::kMidLife:
      out.title = "Objects die just after they have become old";
      out.evidence =
          FormatCount(finding.count) + " of " + Plural(finding.before, "collection") +
          " had to clean gen2 because small objects filled it: " + FormatDuration(finding.cost_ns) +
          " of pauses.";
      out.next =
          "What lives for a request or a batch should die in gen0: look for caches with short "
          "lives and for buffers kept across awaits (`hindsight allocations`, `hindsight "
          "generations`).";
      break;
    case Kind::kLargeObjects:
      out.title = "Large objects cause gen2 collections";
      out.evidence = FormatCount(finding.count) + " of " +
                     Plural(finding.before, "gen2 collection") +
                     " ran because of them: " + FormatDuration(finding.cost_ns) +
                     " of pauses, and each walks the whole heap.";
      out.next =
          "Pool arrays of 85,000 bytes and more (ArrayPool), or build them in pieces; `hindsight "
          "allocations --heap large` shows who allocates them.";
      break;
    case Kind::kHeapGrows:
      out.title = "The heap grows";
      out.evidence = "After " + Plural(finding.count, "gen2 collection") + " from " +
                     AtTime(finding.longest_at_ns) + " on, what is in use went from " +
                     FormatBytes(finding.before) + " to " + FormatBytes(finding.after) + ".";
      out.next =
          "Either caches still fill, or something leaks: take two heap snapshots some minutes "
          "apart; `hindsight leaks` judges one, `hindsight diff` compares them.";
      break;
    case Kind::kFragmentation: {
      const std::string name(GenerationLabel(finding.generation));
      out.title = "Free space that is not given back: " + name;
      out.evidence = FormatBytes(finding.after) + " of " + FormatBytes(finding.before) + " in " +
                     (finding.generation == 2 ? "gen2" : "the " + name + " object heap") +
                     " is free space between objects.";
      out.next =
          finding.generation == 2
              ? "Pinned objects in old generations prevent compaction: allocate buffers that "
                "are pinned for long with GC.AllocateArray(pinned: true)."
              : "Large objects are not moved by ordinary collections: pool them, or bring "
                "them to a few sizes, so that free space can be used again.";
      break;
    }
    case Kind::kPinned:
      out.title = "Pinned objects";
      out.evidence = "A collection at " + AtTime(finding.longest_at_ns) + " found " +
                     FormatCount(finding.count) + " pinned objects, around which it had to work.";
      out.next =
          "Buffers that are pinned for long belong on the pinned object heap: "
          "GC.AllocateArray(pinned: true).";
      break;
    case Kind::kFinalizers:
      out.title = "Objects that live on for their finalizers";
      out.evidence = "A collection at " + AtTime(finding.longest_at_ns) + " kept " +
                     FormatCount(finding.count) +
                     " dead objects alive only to run their finalizers.";
      out.next =
          "Dispose of them (using), which suppresses the finalizer; `hindsight generations` shows "
          "which types wait for theirs in a heap snapshot.";
      break;
    case Kind::kHandles:
      out.title = "GC handles accumulate";
      out.evidence = "Their number went from " + FormatCount(finding.before) + " to " +
                     FormatCount(finding.after) + ".";
      out.next =
          "GCHandle.Alloc without Free, timers, or native callbacks: `hindsight leaks` names "
          "what they hold.";
      break;
    default:
      out.title = "Memory of the machine or container is short";
      out.evidence = Plural(finding.count, "collection") + " saw at least 90 % of it in use, at " +
                     AtTime(finding.longest_at_ns) + " " + FormatCount(finding.after) +
                     " %; the heap had at most " + FormatBytes(report.peak_heap_bytes) + ".";
      out.next =
          "From 90 % on the collector prefers blocking, compacting collections: give the process "
          "more memory, or find what holds it (`hindsight leaks`).";
  }
  return out;
}

GcSentences OfStops(const GcReport& report, const GcFinding& finding) {
  GcSentences out;
  switch (finding.kind) {
    case Kind::kSlowStops:
      out.title = "Threads are slow to stop";
      out.evidence = "In " + Plural(finding.count, "pause") + " it took 10 ms and more until all " +
                     "threads had stopped, " + FormatDuration(finding.cost_ns) +
                     " in all; the longest " + FormatDuration(finding.longest_ns) + ", at " +
                     AtTime(finding.longest_at_ns) + ". That is not the collector's work.";
      out.next =
          "A thread ran without reaching a safe point (long loops over spans or vectors, a "
          "P/Invoke with SuppressGCTransition), or there was no processor left for it: look at the "
          "machine's load, CPU limits of the container, and paging.";
      break;
    case Kind::kThreadSnapshots:
      out.title = "Hindsight's own snapshots of all threads";
      out.evidence = Plural(finding.count, "pause") + ": " + CostOf(report, finding);
      out.next = "Take them more rarely: `waits.every=1m`, or off.";
      break;
    default:
      out.title =
          "Pauses that are not the collector's: " + std::string(PauseKindLabel(finding.pause_kind));
      out.evidence = Plural(finding.count, "pause") + ": " + CostOf(report, finding);
      out.next = finding.pause_kind == PauseKind::kDebugger
                     ? "A debugger or a dump tool stopped the process."
                 : finding.pause_kind == PauseKind::kUpkeep
                     ? "Tiered compilation and changes of running code stop all threads; they are "
                       "frequent while an application warms up."
                     : "A profiler or hot reload changes code while it runs.";
  }
  return out;
}

}  // namespace

std::string AtTime(int64_t ns) {
  return ns <= 0 ? "0 s" : FormatDuration(static_cast<uint64_t>(ns));
}

std::string_view PauseKindLabel(PauseKind kind) {
  static constexpr std::array<std::string_view, kPauseKinds> kLabels = {
      "gen0",
      "gen1",
      "gen2, blocking",
      "gen2, background",
      "collections that are not recorded",
      "the runtime's upkeep",
      "changes of running code",
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
  if (reason < 0) return induced ? "GC.Collect" : "not known";
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
      return "No collection and no pause is recorded in this time; but some may be among the "
             "events "
             "that were lost.";
    }
    return report.model->facts.gc_on
               ? "No collection and no pause in this time."
               : "Collections and pauses were not recorded: record again with `sources=gc`.";
  }
  const std::string share = FormatPercent(report.ShareOfTime(report.all.total_ns));
  const std::string longest = FormatDuration(report.all.longest.suspension->total_ns);
  if (report.is_healthy()) {
    return "Healthy: pauses took " + share + " of the time, and the longest " + longest + ".";
  }
  return "Pauses took " + share + " of the time, the longest " + longest + " at " +
         AtTime(report.all.longest.suspension->at_ns) + ".";
}

}  // namespace hindsight::analyzer
