// What is worth reporting about the collector's work.
#include <algorithm>
#include <vector>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/analyses/gc/gc_rules.h"
#include "analyzer/model/process_age.h"

namespace hindsight::analyzer {
namespace {

using Kind = GcFinding::Kind;
using Severity = GcFinding::Severity;

constexpr GcRules kRules;

// CPU time that the process used while it was paused. All its threads are sampled, including the
// collector's.
class PauseCpu {
 public:
  explicit PauseCpu(const GcReport& report)
      : known_(report.model->samples.cpu.period_ns != 0 &&
               !report.model->samples.cpu.samples.empty()) {
    if (!known_) return;
    min_ns_ = kRules.min_cpu_samples * report.model->samples.cpu.period_ns;
    all_ns_.resize(report.pauses.size());
    stopping_ns_.resize(report.pauses.size());
    for (const CpuSample& sample : report.model->samples.cpu.samples) {
      const auto after = std::upper_bound(
          report.pauses.begin(), report.pauses.end(), sample.at_ns,
          [](int64_t at_ns, const Pause& p) { return at_ns < p.suspension->at_ns; });
      if (after == report.pauses.begin()) continue;
      const auto place = static_cast<size_t>(after - report.pauses.begin()) - 1;
      const SuspensionRow& pause = *report.pauses[place].suspension;
      const auto into_ns = static_cast<uint64_t>(sample.at_ns - pause.at_ns);
      if (into_ns < pause.total_ns) all_ns_[place] += sample.cpu_ns;
      if (into_ns < std::min(pause.stopping_ns, pause.total_ns)) {
        stopping_ns_[place] += sample.cpu_ns;
      }
    }
  }

  uint64_t All(size_t pause) const { return known_ ? all_ns_[pause] : 0; }
  uint64_t Stopping(size_t pause) const { return known_ ? stopping_ns_[pause] : 0; }

  // The part of `ns` that is not caused by the machine, given that the process used `cpu_ns` in it.
  uint64_t Charged(uint64_t ns, uint64_t cpu_ns) const {
    const bool is_short =
        static_cast<double>(cpu_ns) < kRules.min_cpu_share * static_cast<double>(ns);
    return known_ && ns >= min_ns_ && is_short ? cpu_ns : ns;
  }

 private:
  bool known_ = false;
  uint64_t min_ns_ = 0;
  std::vector<uint64_t> all_ns_, stopping_ns_;  // indexed as GcReport::pauses
};

class Findings {
 public:
  explicit Findings(GcReport& report) : report_(report), cpu_(report) {}

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
    if (report_.is_healthy()) FindExcuse();
  }

 private:
  // By its share of the time and its longest pause.
  Severity Judge(uint64_t count, uint64_t cost_ns, uint64_t longest_ns) const {
    if (count < kRules.min_pauses) return Severity::kNote;
    const double share = report_.ShareOfTime(cost_ns);
    if (share >= kRules.bad_share || longest_ns >= kRules.bad_pause_ns) return Severity::kBad;
    if (share >= kRules.notable_share || longest_ns >= kRules.notable_pause_ns) {
      return Severity::kWarning;
    }
    return Severity::kNote;
  }

  struct Sum {
    uint64_t cpu_ns = 0;
    uint64_t longest_charged_ns = 0;
  };

  void Add(GcFinding& finding, Sum& sum, const Pause& pause, uint64_t ns, uint64_t cpu_ns) const {
    ++finding.count;
    finding.cost_ns += ns;
    sum.cpu_ns += cpu_ns;
    sum.longest_charged_ns = std::max(sum.longest_charged_ns, cpu_.Charged(ns, cpu_ns));
    if (ns <= finding.longest_ns) return;
    finding.longest_ns = ns;
    finding.longest_at_ns = pause.suspension->at_ns;
  }

  // If there was no processor, the longest pause says nothing about the collector.
  void Judge(GcFinding& finding, const Sum& sum) const {
    const uint64_t charged_ns = cpu_.Charged(finding.cost_ns, sum.cpu_ns);
    const bool had_cpu = charged_ns == finding.cost_ns;
    finding.severity = Judge(finding.count, charged_ns, had_cpu ? sum.longest_charged_ns : 0);
  }

  // The time that threads take to stop is reported by SlowStops, if it is long.
  static uint64_t SlowStopOf(const Pause& pause) {
    const uint64_t ns = std::min(pause.suspension->stopping_ns, pause.suspension->total_ns);
    return ns < kRules.slow_stop_ns ? 0 : ns;
  }

  template <typename Wanted>
  GcFinding SumOfPauses(Kind kind, const Wanted& wanted) const {
    GcFinding finding;
    finding.kind = kind;
    Sum sum;
    for (size_t i = 0; i < report_.pauses.size(); ++i) {
      const Pause& pause = report_.pauses[i];
      if (!wanted(pause)) continue;
      const uint64_t slow_ns = SlowStopOf(pause);
      Add(finding, sum, pause, pause.suspension->total_ns - slow_ns,
          cpu_.All(i) - (slow_ns == 0 ? 0 : cpu_.Stopping(i)));
    }
    Judge(finding, sum);
    return finding;
  }

  // Age of the process. If its start is unknown, from the recording's start.
  int64_t AgeAt(int64_t ns) const {
    const uint64_t before_ns = AgeAtStart(report_.model->facts).value_or(0);
    return ns + static_cast<int64_t>(std::min<uint64_t>(before_ns, INT64_MAX / 2));
  }

  static bool IsInduced(const CollectionRow& row) {
    return row.induced || IsInducedReason(row.reason);
  }

  template <typename Reported>
  void EachDetailed(const Reported& reported) const {
    for (const CollectionRow& row : report_.model->collections.rows) {
      if (row.detailed && row.at_ns >= report_.from_ns && row.at_ns <= report_.to_ns) reported(row);
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
  void FindExcuse();

  GcReport& report_;
  PauseCpu cpu_;
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
  const bool frequent = finding.before >= kRules.induced_collections &&
                        static_cast<double>(finding.before) >=
                            kRules.induced_collections_per_second * report_.seconds();
  if (frequent) finding.severity = std::min(finding.severity, Severity::kWarning);
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
  Sum sum;
  for (size_t i = 0; i < report_.pauses.size(); ++i) {
    const uint64_t stopping_ns = SlowStopOf(report_.pauses[i]);
    if (stopping_ns != 0) Add(finding, sum, report_.pauses[i], stopping_ns, cpu_.Stopping(i));
  }
  Judge(finding, sum);
  if (finding.count > 0) report_.findings.push_back(finding);
}

void Findings::YoungCollections() {
  const GcFinding finding = SumOfPauses(Kind::kYoungCollections, [](const Pause& pause) {
    return (pause.kind == PauseKind::kGen0 || pause.kind == PauseKind::kGen1) &&
           !IsInduced(*pause.collection);
  });
  if (finding.severity != Severity::kNote) report_.findings.push_back(finding);
}

// A gen2 collection is for old objects. If every third collection is one, and not because of large
// objects, it is old objects that die: they live just long enough to get there.
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
  if (finding.count < kRules.mid_life_collections ||
      finding.count * kRules.mid_life_one_of < report_.collections) {
    return;
  }
  finding.severity = Severity::kWarning;
  report_.findings.push_back(finding);
}

void Findings::LargeObjects() {
  GcFinding finding;
  finding.kind = Kind::kLargeObjects;
  constexpr int32_t kAllocatedLarge = 4, kNoRoomForLarge = 6;
  for (const CollectionGroup& group : report_.reasons) {
    if (!group.is_background) continue;  // BlockingGen2 reports the others
    if (group.reason != kAllocatedLarge && group.reason != kNoRoomForLarge) continue;
    finding.count += group.count;
    finding.cost_ns += group.pause_ns;
    finding.longest_ns = std::max(finding.longest_ns, group.worst_pause_ns);
  }
  finding.before = report_.counts[2];
  if (finding.count < kRules.large_object_collections) return;
  // Each of them walks the whole heap, though in the background: that costs CPU time.
  const bool frequent = static_cast<double>(finding.count) >=
                        kRules.large_object_collections_per_second * report_.seconds();
  finding.severity = Judge(finding.count, finding.cost_ns, finding.longest_ns);
  if (frequent) finding.severity = std::min(finding.severity, Severity::kWarning);
  report_.findings.push_back(finding);
}

// What remains after full collections is in use: only that is compared. A heap that is still
// filling its caches grows as well, so this is a reason to look, never a verdict.
void Findings::HeapGrows() {
  std::vector<const CollectionRow*> full;
  EachDetailed([&full](const CollectionRow& row) {
    if (row.generation >= 2 && HeapAfter(row) > 0) full.push_back(&row);
  });
  if (full.size() < kRules.min_full_collections) return;
  const auto used = [](const CollectionRow* row) {
    uint64_t bytes = 0;
    for (const GenerationChange& change : row->generations) {
      bytes += change.after_bytes - std::min(change.after_bytes, change.free_after_bytes);
    }
    return bytes != 0 ? bytes : row->promoted_bytes;  // of a background collection
  };
  size_t rises = 0;
  for (size_t i = 1; i < full.size(); ++i) rises += used(full[i]) > used(full[i - 1]);
  GcFinding finding;
  finding.kind = Kind::kHeapGrows;
  finding.count = full.size();
  finding.before = used(full.front());
  finding.after = used(full.back());
  finding.longest_at_ns = full.front()->at_ns;
  const auto as_double = [](uint64_t bytes) { return static_cast<double>(bytes); };
  const double growth = as_double(finding.after) - as_double(finding.before);
  const double late = as_double(finding.after) - as_double(used(full[full.size() / 2]));
  const bool grows = growth >= as_double(kRules.min_growth) &&
                     growth >= kRules.min_growth_share * as_double(finding.before) &&
                     late >= kRules.min_late_growth * growth &&
                     rises * 3 >= (full.size() - 1) * kRules.rises_of_three;
  if (!grows) return;
  const bool is_grown_up = AgeAt(full.back()->at_ns) >= kRules.grown_up_ns;
  finding.severity = is_grown_up ? Severity::kWarning : Severity::kNote;
  report_.findings.push_back(finding);
}

void Findings::Fragmentation() {
  for (uint32_t generation = 2; generation < report_.generations.size(); ++generation) {
    const GenerationTrend& trend = report_.generations[generation];
    if (!trend.known || trend.last_free_bytes < kRules.much_memory) continue;
    const auto free = static_cast<double>(trend.last_free_bytes);
    if (free < kRules.fragmented_share * static_cast<double>(trend.last_bytes)) continue;
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
  if (pinned.count >= kRules.many_pinned) report_.findings.push_back(pinned);
  if (finalizers.count >= kRules.many_finalizable) report_.findings.push_back(finalizers);
  if (handles.after >= kRules.many_handles &&
      handles.after > handles.before * kRules.handles_factor) {
    report_.findings.push_back(handles);
  }
}

void Findings::MemoryLoad() {
  GcFinding finding;
  finding.kind = Kind::kMemoryLoad;
  EachDetailed([&finding](const CollectionRow& row) {
    if (row.memory_load_percent < kRules.high_memory_load) return;
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

void Findings::FindExcuse() {
  const uint64_t all_ns = report_.all.total_ns;
  if (report_.ShareOfTime(all_ns) < kRules.notable_share) return;
  uint64_t cpu_ns = 0, most = 0, unknown_ns = 0;
  for (size_t i = 0; i < report_.pauses.size(); ++i) cpu_ns += cpu_.All(i);
  for (const PauseGroup& group : report_.groups) {
    most = std::max(most, group.sums.count);
    if (group.kind == PauseKind::kUnknownCollection) unknown_ns += group.sums.total_ns;
  }
  if (cpu_.Charged(all_ns, cpu_ns) != all_ns) {
    report_.excuse = PausesExcuse::kNoProcessor;
    report_.pauses_cpu_ns = cpu_ns;
  } else if (unknown_ns * 2 >= all_ns) {
    report_.excuse = PausesExcuse::kNotRecorded;
  } else if (most < kRules.min_pauses) {
    report_.excuse = PausesExcuse::kFew;
  } else {
    report_.excuse = PausesExcuse::kSeveralCauses;
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
