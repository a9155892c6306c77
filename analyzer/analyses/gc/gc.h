// Garbage collection: its share of the time, reasons, results and advice.
//
// The unit of cost is the pause: the time in which no managed thread ran. The cost of a background
// collection is its pauses, not its duration.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/analyses/gc/pauses.h"
#include "analyzer/analyses/method_names.h"
#include "analyzer/model/histogram.h"
#include "analyzer/model/model.h"

namespace hindsight::analyzer {

struct PauseSums {
  uint64_t count = 0, total_ns = 0;
  uint64_t stopping_ns = 0;  // part of total_ns: until all threads had stopped
  uint64_t longest_stopping_ns = 0;
  Histogram lengths;
  Pause longest;

  void Add(const Pause& pause);
};

struct PauseGroup {
  PauseKind kind = PauseKind::kRuntimeMaintenance;
  PauseSums sums;
};

// Collections of one kind, for one reason.
struct CollectionGroup {
  uint32_t generation = 0;
  bool is_background = false;
  int32_t reason = -1;  // the runtime's GCReason; -1: unknown
  bool induced = false;
  uint64_t count = 0, compacting = 0;
  uint64_t pause_ns = 0, worst_pause_ns = 0;  // of all; of the worst
  uint64_t promoted_bytes = 0;
};

// A generation at the ends of collections that report it.
struct GenerationTrend {
  bool known = false;
  uint64_t first_bytes = 0, last_bytes = 0, peak_bytes = 0;  // including free space
  uint64_t last_free_bytes = 0;
  uint64_t promoted_bytes = 0;  // by all collections
};

// A part of the time.
struct GcSlice {
  int64_t from_ns = 0, to_ns = 0;
  std::array<uint64_t, 3> collections{};            // that began in it, indexed by generation
  uint64_t pause_ns = 0;                            // of all kinds
  uint64_t longest_pause_ns = 0;                    // that began in it
  uint64_t heap_bytes = 0;                          // the most after a collection; 0: unknown
  std::array<uint64_t, 5> generation_bytes{};       // after the last collection in the slice
  uint64_t pinned_objects = 0, promoted_bytes = 0;  // the most of a collection; the sum
};

struct GcFinding {
  enum class Kind : uint8_t {
    kInduced,
    kBlockingGen2,      // not induced; `reason`
    kSlowStops,         // the threads were slow to stop, not the collector
    kYoungCollections,  // gen0 and gen1 are expensive
    kMidLife,           // many objects die soon after they reached gen2
    kLargeObjects,      // they cause background collections
    kHeapGrows,
    kFragmentation,
    kPinned,
    kFinalizers,
    kHandles,
    kMemoryLoad,
    kRuntimePauses,   // not for a collection; `pause_kind`
    kThreadSnapshots  // the recorder's own
  };
  enum class Severity : uint8_t { kBad, kWarning, kNote };

  Kind kind = Kind::kInduced;
  Severity severity = Severity::kNote;
  uint64_t cost_ns = 0;  // of pauses
  uint64_t count = 0;    // of collections or pauses, depending on the kind
  uint64_t longest_ns = 0;
  int64_t longest_at_ns = 0;
  int32_t reason = -1;
  PauseKind pause_kind = PauseKind::kRuntimeMaintenance;
  // From and to, or part and whole, for kinds that have these.
  uint64_t before = 0, after = 0;
  uint32_t generation = 0;
};

// Who called GC.Collect: the place of the calls (places.h); or, if calls were not recorded, the
// method that was seen to call it in CPU samples.
struct CollectCaller {
  MethodId method = 0;
  uint64_t calls = 0;    // 0: not recorded
  uint64_t samples = 0;  // CPU samples, if calls were not recorded
};

// Why pauses that take notable time do not indicate a problem.
enum class PausesExcuse : uint8_t {
  kNone,  // they are not notable, or there is a problem
  // The process had no processor for much of them: its CPU time counts instead.
  kNoProcessor,
  kNotRecorded,    // most are for collections that are not in the recording
  kFew,            // too few of each cause
  kSeveralCauses,  // none of which takes notable time
};

struct GcQuery {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;  // from the recording's start
  uint32_t slices = 20;
};

struct GcReport {
  explicit GcReport(const Model& model) : model(&model), names(model.dictionaries) {}

  const Model* model;  // must outlive the report
  MethodNames names;
  int64_t from_ns = 0, to_ns = 0;

  std::vector<Pause> pauses;       // ordered by time
  PauseSums all;                   // of all pauses
  PauseSums collecting;            // of those for collections
  std::vector<PauseGroup> groups;  // longest time first
  std::vector<Pause> worst;        // longest first

  std::array<uint64_t, 3> counts{};  // of collections, indexed by generation
  uint64_t collections = 0, induced = 0, detailed = 0;
  std::vector<CollectionGroup> reasons;  // most pause time first
  std::array<GenerationTrend, 5> generations{};
  uint64_t first_heap_bytes = 0, last_heap_bytes = 0, peak_heap_bytes = 0;  // after collections
  int64_t peak_heap_at_ns = 0;
  uint64_t last_committed_bytes = 0, peak_committed_bytes = 0;
  uint32_t peak_memory_load = 0;
  uint32_t heaps = 0;  // at most; from .NET 9 on, Server GC adds and removes some as needed
  // By the threads of Server GC, which are known by their CPU samples. Neither: not known.
  bool is_server = false, is_workstation = false;
  uint64_t dropped_rows = 0;  // collections and pauses beyond the model's limit

  std::vector<GcSlice> slices;
  std::vector<GcFinding> findings;             // worst first
  std::vector<CollectCaller> collect_callers;  // most first
  PausesExcuse excuse = PausesExcuse::kNone;
  uint64_t pauses_cpu_ns = 0;  // kNoProcessor: CPU time of the process during the pauses

  // What the JIT did meanwhile, if known (has_jit).
  bool has_jit = false;
  uint64_t jit_methods = 0, jit_ns = 0, jit_background_ns = 0, r2r_rejected = 0;
  std::vector<uint64_t> jit_tiers;

  double seconds() const { return static_cast<double>(to_ns - from_ns) / 1e9; }
  double ShareOfTime(uint64_t ns) const {
    return to_ns > from_ns ? static_cast<double>(ns) / static_cast<double>(to_ns - from_ns) : 0;
  }
  bool is_healthy() const;
};

GcReport AnalyzeGc(const Model& model, const GcQuery& query);

// The size of the heap after a collection; of a background collection, which does not report it,
// the bytes that it left alive and the last known size of the pinned object heap. 0: unknown.
uint64_t HeapAfter(const CollectionRow& collection);

// Fills report.findings from the rest of the report.
void FindGcFindings(GcReport& report);

// Whether GCReason `reason` means that the application or a library requested it.
bool IsInducedReason(int32_t reason);

}  // namespace hindsight::analyzer
