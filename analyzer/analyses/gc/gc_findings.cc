// What is worth telling of the collector's work. The limits are what operators of services act
// upon, not properties of the runtime.
#include <algorithm>
#include <vector>

#include "analyzer/analyses/gc/gc.h"

namespace hindsight::analyzer {
namespace {

using Kind = GcFinding::Kind;
using Severity = GcFinding::Severity;

constexpr double kBadShare = 0.10;  // of the time, in pauses
constexpr double kNotableShare = 0.02;
constexpr uint64_t kBadPauseNs = 200'000'000;
constexpr uint64_t kNotablePauseNs = 50'000'000;
constexpr uint64_t kSlowStopNs = 10'000'000;
constexpr uint64_t kMuchMemory = uint64_t{64} << 20;
constexpr uint64_t kFewBytes = uint64_t{16} << 20;  // not worth a word
constexpr double kFragmentedShare = 0.4;
constexpr uint64_t kManyPinned = 1000;       // found by one collection
constexpr uint64_t kManyFinalizable = 1000;  // kept alive by one collection
constexpr uint64_t kManyHandles = 10'000;
constexpr uint32_t kHighMemoryLoad = 90;  // per cent: from there on the collector compacts
constexpr size_t kFewFullCollections = 3;

class Findings {
 public:
  explicit Findings(GcReport& report) : report_(report) {}

  void Run() {
    Induced();
    BlockingGen2();
    SlowStops();
    YoungCollections();
    MidLife();
    LargeObjects();
    HeapGrows();
    Fragmentation();
    Counters();
    MemoryLoad();
    OtherPauses();
    std::stable_sort(report_.findings.begin(), report_.findings.end(),
                     [](const GcFinding& a, const GcFinding& b) {
                       return a.severity != b.severity ? a.severity < b.severity
                                                       : a.cost_ns > b.cost_ns;
                     });
  }

 private:
  // By its share of the time and its longest pause.
  Severity Judge(uint64_t cost_ns, uint64_t longest_ns) const {
    const double share = report_.ShareOfTime(cost_ns);
    if (share >= kBadShare || longest_ns >= kBadPauseNs) return Severity::kBad;
    if (share >= kNotableShare || longest_ns >= kNotablePauseNs) return Severity::kWarning;
    return Severity::kNote;
  }

  template <typename Wanted>
  GcFinding SumOfPauses(Kind kind, const Wanted& wanted) const {
    GcFinding finding;
    finding.kind = kind;
    for (const Pause& pause : report_.pauses) {
      if (!wanted(pause)) continue;
      ++finding.count;
      finding.cost_ns += pause.suspension->total_ns;
      if (pause.suspension->total_ns > finding.longest_ns) {
        finding.longest_ns = pause.suspension->total_ns;
        finding.longest_at_ns = pause.suspension->at_ns;
      }
    }
    finding.severity = Judge(finding.cost_ns, finding.longest_ns);
    return finding;
  }

  static bool IsInduced(const CollectionRow& row) {
    return row.induced || IsInducedReason(row.reason);
  }

  template <typename Told>
  void EachDetailed(const Told& told) const {
    for (const CollectionRow& row : report_.model->collections.rows) {
      if (row.detailed && row.at_ns >= report_.from_ns && row.at_ns <= report_.to_ns) told(row);
    }
  }

  void Induced();
  void BlockingGen2();
  void SlowStops();
  void YoungCollections();
  void MidLife();
  void LargeObjects();
  void HeapGrows();
  void Fragmentation();
  void Counters();
  void MemoryLoad();
  void OtherPauses();

  GcReport& report_;
};

void Findings::Induced() {
  GcFinding finding = SumOfPauses(Kind::kInduced, [](const Pause& pause) {
    return pause.collection != nullptr && IsInduced(*pause.collection);
  });
  if (report_.induced == 0) return;
  finding.count = report_.induced;
  for (const CollectionGroup& group : report_.reasons) {
    if (group.induced || IsInducedReason(group.reason)) {
      finding.before += group.generation == 2 ? group.count : 0;
    }
  }
  report_.findings.push_back(finding);
}

void Findings::BlockingGen2() {
  std::vector<int32_t> reasons;
  for (const CollectionGroup& group : report_.reasons) {
    const bool asked = group.induced || IsInducedReason(group.reason);
    if (group.generation == 2 && !group.is_background && !asked) reasons.push_back(group.reason);
  }
  std::sort(reasons.begin(), reasons.end());
  reasons.erase(std::unique(reasons.begin(), reasons.end()), reasons.end());
  for (const int32_t reason : reasons) {
    GcFinding finding = SumOfPauses(Kind::kBlockingGen2, [reason](const Pause& pause) {
      return pause.kind == PauseKind::kGen2Blocking && pause.collection->reason == reason &&
             !IsInduced(*pause.collection);
    });
    finding.reason = reason;
    if (finding.count > 0) report_.findings.push_back(finding);
  }
}

void Findings::SlowStops() {
  GcFinding finding;
  finding.kind = Kind::kSlowStops;
  for (const Pause& pause : report_.pauses) {
    const uint64_t stopping_ns =
        std::min(pause.suspension->stopping_ns, pause.suspension->total_ns);
    if (stopping_ns < kSlowStopNs) continue;
    ++finding.count;
    finding.cost_ns += stopping_ns;
    if (stopping_ns > finding.longest_ns) {
      finding.longest_ns = stopping_ns;
      finding.longest_at_ns = pause.suspension->at_ns;
    }
  }
  finding.severity = Judge(finding.cost_ns, finding.longest_ns);
  if (finding.count > 0) report_.findings.push_back(finding);
}

void Findings::YoungCollections() {
  const GcFinding finding = SumOfPauses(Kind::kYoungCollections, [](const Pause& pause) {
    return (pause.kind == PauseKind::kGen0 || pause.kind == PauseKind::kGen1) &&
           !IsInduced(*pause.collection);
  });
  if (finding.severity != Severity::kNote) report_.findings.push_back(finding);
}

// A gen2 collection is for what has become old. Where every third collection is one, and not
// because of large objects, what dies is old: objects live just long enough to get there.
void Findings::MidLife() {
  GcFinding finding;
  finding.kind = Kind::kMidLife;
  for (const CollectionGroup& group : report_.reasons) {
    constexpr int32_t kAllocatedSmall = 0;
    if (group.generation != 2 || group.reason != kAllocatedSmall) continue;
    finding.count += group.count;
    finding.cost_ns += group.pause_ns;
    finding.longest_ns = std::max(finding.longest_ns, group.worst_pause_ns);
  }
  finding.before = report_.collections;
  if (finding.count < 10 || finding.count * 3 < report_.collections) return;
  finding.severity = Severity::kWarning;
  report_.findings.push_back(finding);
}

void Findings::LargeObjects() {
  GcFinding finding;
  finding.kind = Kind::kLargeObjects;
  constexpr int32_t kAllocatedLarge = 4, kNoRoomForLarge = 6;
  for (const CollectionGroup& group : report_.reasons) {
    if (!group.is_background) continue;  // BlockingGen2 tells of the others
    if (group.reason != kAllocatedLarge && group.reason != kNoRoomForLarge) continue;
    finding.count += group.count;
    finding.cost_ns += group.pause_ns;
    finding.longest_ns = std::max(finding.longest_ns, group.worst_pause_ns);
  }
  finding.before = report_.counts[2];
  if (finding.count < 3) return;
  // Each of them walks the whole heap, if in the background: that costs CPU time.
  const bool frequent = static_cast<double>(finding.count) >= report_.seconds();
  finding.severity = Judge(finding.cost_ns, finding.longest_ns);
  if (frequent) finding.severity = std::min(finding.severity, Severity::kWarning);
  report_.findings.push_back(finding);
}

// What full collections leave is what is in use: only that is compared. A heap that still fills
// its caches grows as well, so this is a reason to look, never a verdict.
void Findings::HeapGrows() {
  std::vector<const CollectionRow*> full;
  EachDetailed([&full](const CollectionRow& row) {
    if (row.generation >= 2 && HeapAfter(row) > 0) full.push_back(&row);
  });
  if (full.size() < kFewFullCollections) return;
  const auto used = [](const CollectionRow* row) {
    uint64_t bytes = 0;
    for (const GenerationChange& change : row->generations) {
      bytes += change.after_bytes - std::min(change.after_bytes, change.free_after_bytes);
    }
    return bytes;
  };
  size_t rises = 0;
  for (size_t i = 1; i < full.size(); ++i) rises += used(full[i]) > used(full[i - 1]);
  GcFinding finding;
  finding.kind = Kind::kHeapGrows;
  finding.count = full.size();
  finding.before = used(full.front());
  finding.after = used(full.back());
  finding.longest_at_ns = full.front()->at_ns;
  const bool grows = finding.after > finding.before + kFewBytes &&
                     finding.after - finding.before > finding.before / 5 &&
                     rises * 3 >= (full.size() - 1) * 2;
  if (!grows) return;
  finding.severity = Severity::kWarning;
  report_.findings.push_back(finding);
}

void Findings::Fragmentation() {
  for (uint32_t generation = 2; generation < report_.generations.size(); ++generation) {
    const GenerationTrend& trend = report_.generations[generation];
    if (!trend.known || trend.last_free_bytes < kMuchMemory) continue;
    const auto free = static_cast<double>(trend.last_free_bytes);
    if (free < kFragmentedShare * static_cast<double>(trend.last_bytes)) continue;
    GcFinding finding;
    finding.kind = Kind::kFragmentation;
    finding.severity = Severity::kWarning;
    finding.generation = generation;
    finding.before = trend.last_bytes;
    finding.after = trend.last_free_bytes;
    report_.findings.push_back(finding);
  }
}

void Findings::Counters() {
  GcFinding pinned, finalizers, handles;
  pinned.kind = Kind::kPinned;
  finalizers.kind = Kind::kFinalizers;
  handles.kind = Kind::kHandles;
  const auto raise = [](GcFinding& finding, uint64_t count, const CollectionRow& row) {
    if (count <= finding.count) return;
    finding.count = count;
    finding.longest_at_ns = row.at_ns;
  };
  EachDetailed([&](const CollectionRow& row) {
    raise(pinned, row.pinned_objects, row);
    raise(finalizers, row.finalizable_promoted, row);
    if (row.handles == 0) return;
    if (handles.before == 0) handles.before = row.handles;
    handles.after = row.handles;
  });
  handles.count = handles.after;
  handles.severity = Severity::kWarning;
  if (pinned.count >= kManyPinned) report_.findings.push_back(pinned);
  if (finalizers.count >= kManyFinalizable) report_.findings.push_back(finalizers);
  if (handles.after >= kManyHandles && handles.after > handles.before * 2) {
    report_.findings.push_back(handles);
  }
}

void Findings::MemoryLoad() {
  GcFinding finding;
  finding.kind = Kind::kMemoryLoad;
  EachDetailed([&finding](const CollectionRow& row) {
    if (row.memory_load_percent < kHighMemoryLoad) return;
    ++finding.count;
    if (row.memory_load_percent <= finding.after) return;
    finding.after = row.memory_load_percent;
    finding.longest_at_ns = row.at_ns;
  });
  if (finding.count == 0) return;
  finding.severity = Severity::kWarning;
  report_.findings.push_back(finding);
}

void Findings::OtherPauses() {
  for (const PauseGroup& group : report_.groups) {
    if (group.kind <= PauseKind::kUnknownCollection || group.kind == PauseKind::kShutdown) continue;
    const Kind kind =
        group.kind == PauseKind::kThreadSnapshot ? Kind::kThreadSnapshots : Kind::kRuntimePauses;
    GcFinding finding =
        SumOfPauses(kind, [&group](const Pause& pause) { return pause.kind == group.kind; });
    finding.pause_kind = group.kind;
    if (finding.severity != Severity::kNote) report_.findings.push_back(finding);
  }
}

}  // namespace

bool IsInducedReason(int32_t reason) {
  // gc_reason in the runtime's gcpriv.h: induced, without force, compacting, aggressive. They come
  // from GC.Collect and its modes, GC.AddMemoryPressure and GC.TryStartNoGCRegion.
  return reason == 1 || reason == 7 || reason == 10 || reason == 17;
}

void FindGcFindings(GcReport& report) { Findings(report).Run(); }

}  // namespace hindsight::analyzer
