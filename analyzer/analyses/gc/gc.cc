#include "analyzer/analyses/gc/gc.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyzer/analyses/places/places.h"
#include "analyzer/model/runtime_work.h"

namespace hindsight::analyzer {
namespace {

constexpr size_t kWorst = 64;
constexpr size_t kCallers = 8;

// Collections of this length have CPU samples, at 100 a second, on the threads that collect.
constexpr uint64_t kSampledCollectionsNs = 200'000'000;

class Analysis {
 public:
  Analysis(GcReport& report, const GcQuery& query)
      : report_(report), query_(query), facts_(report.model->collections) {}

  void Run() {
    const RecordingFacts& recording = report_.model->facts;
    report_.from_ns = std::max(query_.from_ns, recording.begin_ns());
    report_.to_ns = std::max(report_.from_ns, std::min(query_.to_ns, recording.last_ns));
    // An empty time range still includes what happened at that moment.
    const int64_t end_ns = std::min(query_.to_ns, report_.to_ns + 1);
    report_.pauses = FindPauses(facts_, report_.from_ns, end_ns);
    MakeSlices();
    SumPauses();
    for (const CollectionRow& row : facts_.rows) {
      if (row.at_ns >= report_.from_ns && row.at_ns < end_ns) AddCollection(row);
    }
    SumReasons();
    FindServerThreads();
    ReadJit();
    FindCollectCalls(end_ns);
    if (report_.collect_callers.empty()) FindSampledCallers();
    const uint64_t collected =
        facts_.collections[0] + facts_.collections[1] + facts_.collections[2];
    report_.dropped_rows = collected - std::min<uint64_t>(collected, facts_.rows.size()) +
                           facts_.suspensions -
                           std::min<uint64_t>(facts_.suspensions, facts_.pauses.size());
  }

 private:
  void MakeSlices();
  GcSlice* SliceAt(int64_t at_ns);
  void SumPauses();
  void AddCollection(const CollectionRow& row);
  void SumReasons();
  void FindServerThreads();
  void ReadJit();
  void FindCollectCalls(int64_t end_ns);
  void FindSampledCallers();
  void OrderCallers();

  GcReport& report_;
  const GcQuery& query_;
  const GarbageCollections& facts_;
  std::map<std::tuple<uint32_t, bool, int32_t, bool>, CollectionGroup> reasons_;
};

void Analysis::MakeSlices() {
  const uint32_t parts = report_.to_ns > report_.from_ns ? query_.slices : 0;
  const int64_t length = report_.to_ns - report_.from_ns;
  for (uint32_t i = 0; i < parts; ++i) {
    GcSlice slice;
    slice.from_ns = report_.from_ns + length / parts * i + length % parts * i / parts;
    slice.to_ns = report_.from_ns + length / parts * (i + 1) + length % parts * (i + 1) / parts;
    report_.slices.push_back(slice);
  }
}

GcSlice* Analysis::SliceAt(int64_t at_ns) {
  auto& slices = report_.slices;
  if (slices.empty() || at_ns < slices.front().from_ns) return nullptr;
  const auto after =
      std::upper_bound(slices.begin(), slices.end(), at_ns,
                       [](int64_t at, const GcSlice& slice) { return at < slice.from_ns; });
  return &*(after - 1);
}

void Analysis::SumPauses() {
  std::array<PauseSums, kPauseKinds> kinds;
  for (const Pause& pause : report_.pauses) {
    report_.all.Add(pause);
    if (pause.is_collection()) report_.collecting.Add(pause);
    kinds[static_cast<size_t>(pause.kind)].Add(pause);
    const uint64_t total_ns = pause.suspension->total_ns;
    if (GcSlice* slice = SliceAt(pause.suspension->at_ns)) {
      slice->longest_pause_ns = std::max(slice->longest_pause_ns, total_ns);
    }
    for (GcSlice& slice : report_.slices) {
      if (slice.to_ns <= pause.suspension->at_ns) continue;
      if (slice.from_ns >= pause.end_ns()) break;
      slice.pause_ns += static_cast<uint64_t>(std::min(slice.to_ns, pause.end_ns()) -
                                              std::max(slice.from_ns, pause.suspension->at_ns));
    }
  }
  for (size_t kind = 0; kind < kPauseKinds; ++kind) {
    if (kinds[kind].count == 0) continue;
    report_.groups.push_back({static_cast<PauseKind>(kind), std::move(kinds[kind])});
  }
  std::stable_sort(
      report_.groups.begin(), report_.groups.end(),
      [](const PauseGroup& a, const PauseGroup& b) { return a.sums.total_ns > b.sums.total_ns; });
  report_.worst = report_.pauses;
  std::stable_sort(report_.worst.begin(), report_.worst.end(), [](const Pause& a, const Pause& b) {
    return a.suspension->total_ns > b.suspension->total_ns;
  });
  report_.worst.resize(std::min(report_.worst.size(), kWorst));
}

void Analysis::AddCollection(const CollectionRow& row) {
  const uint32_t generation = std::min<uint32_t>(row.generation, 2);
  ++report_.counts[generation];
  ++report_.collections;
  report_.induced += row.induced;
  CollectionGroup& group = reasons_[{generation, IsBackground(row), row.reason, row.induced}];
  group.generation = generation;
  group.is_background = IsBackground(row);
  group.reason = row.reason;
  group.induced = row.induced;
  ++group.count;
  group.compacting += row.compacting;
  group.pause_ns += row.pause_ns;
  group.worst_pause_ns = std::max(group.worst_pause_ns, row.pause_ns);
  group.promoted_bytes += row.promoted_bytes;

  GcSlice* const slice = SliceAt(row.at_ns);
  if (slice != nullptr) {
    ++slice->collections[generation];
    slice->promoted_bytes += row.promoted_bytes;
    slice->pinned_objects = std::max(slice->pinned_objects, row.pinned_objects);
  }
  if (!row.detailed) return;
  ++report_.detailed;
  report_.heaps = std::max(report_.heaps, row.heaps);
  report_.peak_memory_load = std::max(report_.peak_memory_load, row.memory_load_percent);
  if (row.committed_bytes != 0) report_.last_committed_bytes = row.committed_bytes;
  report_.peak_committed_bytes = std::max(report_.peak_committed_bytes, row.committed_bytes);
  const uint64_t heap = HeapAfter(row);
  if (heap == 0) return;
  if (report_.first_heap_bytes == 0) report_.first_heap_bytes = heap;
  report_.last_heap_bytes = heap;
  if (heap > report_.peak_heap_bytes) {
    report_.peak_heap_bytes = heap;
    report_.peak_heap_at_ns = row.at_ns;
  }
  for (size_t i = 0; i < row.generations.size(); ++i) {
    const GenerationChange& change = row.generations[i];
    if (!change.known) continue;
    GenerationTrend& trend = report_.generations[i];
    if (!trend.known) trend.first_bytes = change.after_bytes;
    trend.known = true;
    trend.last_bytes = change.after_bytes;
    trend.last_free_bytes = change.free_after_bytes;
    trend.peak_bytes = std::max(trend.peak_bytes, change.after_bytes);
    trend.promoted_bytes += change.promoted_bytes;
    if (slice != nullptr) slice->generation_bytes[i] = change.after_bytes;
  }
  if (slice != nullptr) slice->heap_bytes = std::max(slice->heap_bytes, heap);
}

// Server GC has threads of its own, but from .NET 9 on not always more than one heap.
void Analysis::FindServerThreads() {
  const Model& model = *report_.model;
  const bool is_server =
      report_.heaps > 1 || std::ranges::any_of(model.threads, [&model](const ThreadInfo& thread) {
        return model.dictionaries.String(thread.name) == kServerGcThread;
      });
  report_.is_server = is_server;
  report_.is_workstation = !is_server && report_.heaps == 1 && model.facts.cpu_on &&
                           report_.collecting.total_ns >= kSampledCollectionsNs;
}

void Analysis::SumReasons() {
  for (const auto& [key, group] : reasons_) report_.reasons.push_back(group);
  std::stable_sort(
      report_.reasons.begin(), report_.reasons.end(),
      [](const CollectionGroup& a, const CollectionGroup& b) { return a.pause_ns > b.pause_ns; });
}

void Analysis::ReadJit() {
  const std::vector<JitState>& states = report_.model->samples.jit;
  const JitState* first = nullptr;
  const JitState* last = nullptr;
  for (const JitState& state : states) {
    if (state.at_ns > report_.to_ns) break;
    if (first == nullptr || state.at_ns <= report_.from_ns) first = &state;
    last = &state;
  }
  if (last == nullptr || first == last) return;
  const auto grown = [](uint64_t from, uint64_t to) { return to > from ? to - from : 0; };
  report_.has_jit = true;
  report_.jit_methods = grown(first->methods, last->methods);
  report_.jit_ns = grown(first->time_ns, last->time_ns);
  report_.jit_background_ns = grown(first->background_ns, last->background_ns);
  report_.r2r_rejected = grown(first->r2r_rejected, last->r2r_rejected);
  for (size_t i = 0; i < last->tiers.size(); ++i) {
    report_.jit_tiers.push_back(
        grown(i < first->tiers.size() ? first->tiers[i] : 0, last->tiers[i]));
  }
}

bool IsCollect(const Dictionaries& dictionaries, MethodId id) {
  if (id == 0) return false;
  const Method& method = dictionaries.method(id);
  const std::string_view name = dictionaries.String(method.name);
  return (name == "Collect" || name == "_Collect" || name == "AddMemoryPressure") &&
         dictionaries.String(dictionaries.type(method.type).name) == "System.GC";
}

void Analysis::FindCollectCalls(int64_t end_ns) {
  std::unordered_map<StackId, uint64_t> stacks;
  for (const CollectCall& call : facts_.calls) {
    if (call.at_ns >= report_.from_ns && call.at_ns < end_ns) ++stacks[call.stack];
  }
  const Dictionaries& dictionaries = report_.model->dictionaries;
  Places places(*report_.model);
  std::unordered_map<MethodId, uint64_t> counts;
  for (const auto& [stack, count] : stacks) {
    std::vector<MethodId> path = dictionaries.Path(stack);
    // What GC does inside is not a place.
    const auto last = std::find_if(path.rbegin(), path.rend(), [&](MethodId method) {
      return IsCollect(dictionaries, method);
    });
    path.erase(path.begin(), last.base());
    if (const PlaceId place = places.Of(path); place != 0) counts[places[place].site] += count;
  }
  for (const auto& [method, count] : counts) {
    report_.collect_callers.push_back({.method = method, .calls = count});
  }
  OrderCallers();
}

// If calls were not recorded: a blocking collection of Workstation GC runs on the thread that
// requested it, so CPU samples may contain it on their stacks.
void Analysis::FindSampledCallers() {
  const Samples& samples = report_.model->samples;
  const Dictionaries& dictionaries = report_.model->dictionaries;
  std::unordered_map<MethodId, bool> asks;
  const auto is_collect = [&](MethodId id) {
    const auto [at, is_new] = asks.try_emplace(id, false);
    if (is_new) at->second = IsCollect(dictionaries, id);
    return at->second;
  };
  std::unordered_map<CallId, MethodId> callers;  // by the innermost frame of a sample
  std::unordered_map<MethodId, uint64_t> counts;
  for (const CpuSample& sample : samples.cpu.samples) {
    if (sample.at_ns < report_.from_ns || sample.at_ns > report_.to_ns) continue;
    const auto [at, is_new] = callers.try_emplace(sample.call, 0);
    if (is_new) {
      bool inside = false;
      for (CallId id = sample.call; id != 0; id = samples.calls.node(id).parent) {
        const MethodId method = samples.calls.node(id).method;
        const bool collects = is_collect(method);
        if (inside && !collects && !dictionaries.method(method).is_plumbing) {
          at->second = method;
          break;
        }
        inside = inside || collects;
      }
    }
    if (at->second != 0) ++counts[at->second];
  }
  for (const auto& [method, count] : counts) {
    report_.collect_callers.push_back({.method = method, .samples = count});
  }
  OrderCallers();
}

void Analysis::OrderCallers() {
  std::sort(report_.collect_callers.begin(), report_.collect_callers.end(),
            [](const CollectCaller& a, const CollectCaller& b) {
              return std::tuple(~a.calls, ~a.samples, a.method) <
                     std::tuple(~b.calls, ~b.samples, b.method);
            });
  report_.collect_callers.resize(std::min(report_.collect_callers.size(), kCallers));
}

}  // namespace

void PauseSums::Add(const Pause& pause) {
  const SuspensionRow& row = *pause.suspension;
  ++count;
  total_ns += row.total_ns;
  stopping_ns += std::min(row.stopping_ns, row.total_ns);
  longest_stopping_ns = std::max(longest_stopping_ns, std::min(row.stopping_ns, row.total_ns));
  lengths.Add(row.total_ns);
  if (longest.suspension == nullptr || row.total_ns > longest.suspension->total_ns) {
    longest = pause;
  }
}

uint64_t HeapAfter(const CollectionRow& collection) {
  uint64_t bytes = 0;
  for (const GenerationChange& change : collection.generations) bytes += change.after_bytes;
  if (bytes != 0 || collection.generation < 2 || collection.promoted_bytes == 0) return bytes;
  return collection.promoted_bytes + collection.pinned_heap_bytes;
}

bool GcReport::is_healthy() const {
  return std::none_of(findings.begin(), findings.end(), [](const GcFinding& finding) {
    return finding.severity != GcFinding::Severity::kNote;
  });
}

GcReport AnalyzeGc(const Model& model, const GcQuery& query) {
  GcReport report(model);
  Analysis(report, query).Run();
  FindGcFindings(report);
  return report;
}

}  // namespace hindsight::analyzer
