#include "analyzer/commands/load_reports.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/analyses/overview/overview_rules.h"
#include "analyzer/commands/heap_series.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {
namespace {

// Whether anything that was written is missing. A recording that breaks off is reported by its end.
bool LacksSomething(const Integrity& integrity) {
  return integrity.lost_segments() > 0 || integrity.damage_count > integrity.heap_damage_count ||
         !integrity.missing_heaps.empty();
}

// Snapshots with objects, ordered by number; the last one is the one that is judged.
std::vector<uint32_t> WithObjects(const std::vector<HeapFacts>& heaps) {
  const std::optional<uint32_t> last = NewestOf(heaps);
  std::vector<uint32_t> numbers;
  for (const HeapFacts& heap : heaps) {
    if (heap.certified_objects > 0 && heap.number <= last) numbers.push_back(heap.number);
  }
  return numbers;
}

// The snapshot with which the newest is compared: the last one that is far enough from it to show
// what is stuck, otherwise the first. nullopt: there is only one.
std::optional<uint32_t> NumberBefore(const std::vector<HeapFacts>& heaps,
                                     const std::vector<uint32_t>& numbers) {
  if (numbers.size() < 2) return {};
  const auto time_of = [&heaps](uint32_t number) {
    const auto at = std::find_if(heaps.begin(), heaps.end(),
                                 [number](const HeapFacts& heap) { return heap.number == number; });
    return at->unix_ns;
  };
  const uint64_t newest = time_of(numbers.back());
  for (size_t i = numbers.size() - 1; i-- > 0;) {
    if (time_of(numbers[i]) + OverviewRules().stuck_ns <= newest) return numbers[i];
  }
  return numbers.front();
}

// The state of tasks in an earlier snapshot. Only one heap is in memory at a time.
std::optional<TaskAwaits> AwaitsBefore(Recording& recording, const std::vector<HeapFacts>& heaps,
                                       const std::vector<uint32_t>& numbers, bool shows_progress) {
  const std::optional<uint32_t> number = NumberBefore(heaps, numbers);
  if (!number) return {};
  const Result<Heap> heap = LoadHeap(recording, *number, HeapNeeds::kPaths, shows_progress);
  if (!heap) return {};
  return AwaitsOf(HeapWaits(*heap->model, *heap->paths));
}

// Whether generation 1 was collected between two moments, in Unix time.
bool IsCollected(const Model& events, uint64_t from_ns, uint64_t to_ns) {
  return std::ranges::any_of(events.collections.rows, [&](const CollectionRow& row) {
    const uint64_t at_ns = events.facts.started_unix_ns + static_cast<uint64_t>(row.at_ns);
    return row.generation >= 1 && at_ns > from_ns && at_ns < to_ns;
  });
}

// Loads the last snapshot in `numbers` into `loaded`, with what is wrong with it.
std::unique_ptr<HeapReports> LoadLast(Recording& recording, const ReportScope& scope,
                                      const std::vector<uint32_t>& numbers, LoadedReports& loaded) {
  std::optional<TaskAwaits> before;
  if (scope.analyses) {
    before = AwaitsBefore(recording, loaded.snapshots, numbers, scope.shows_progress);
  }
  loaded.heap.reset();  // only one is in memory at a time
  Result<Heap> heap =
      LoadHeap(recording, numbers.empty() ? std::nullopt : std::optional(numbers.back()),
               scope.analyses ? HeapNeeds::kBoth : HeapNeeds::kDominators, scope.shows_progress);
  if (!heap) {
    loaded.damages.push_back(heap.error().sentence);
    return nullptr;
  }
  loaded.heap = std::make_unique<Heap>(std::move(*heap));
  if (before && loaded.model) {
    before->collected =
        IsCollected(*loaded.model, before->unix_ns, loaded.heap->model->graph.facts.unix_ns);
  }
  if (!scope.analyses) return nullptr;
  return std::make_unique<HeapReports>(*loaded.heap->model, *loaded.heap->paths,
                                       *loaded.heap->dominators, before ? &*before : nullptr);
}

// Loads the newest snapshot that was taken before the host began to stop: what a host waits for
// then hides what was wrong before. If there is none, the newest.
std::unique_ptr<HeapReports> LoadHeapReports(Recording& recording, const ReportScope& scope,
                                             LoadedReports& loaded) {
  loaded.snapshots = ListHeaps(recording);
  std::vector<uint32_t> numbers = WithObjects(loaded.snapshots);
  if (!numbers.empty() && numbers.back() != loaded.snapshots.back().number) {
    loaded.damages.push_back("Snapshot " + std::to_string(loaded.snapshots.back().number) +
                             " is incomplete: snapshot " + std::to_string(numbers.back()) +
                             ", the last complete one, is used.");
  }
  const std::vector<uint32_t> all = numbers;
  std::unique_ptr<HeapReports> reports = LoadLast(recording, scope, numbers, loaded);
  std::optional<HostShutdown> shutdown;
  while (reports && reports->tasks.shutdown && numbers.size() > 1) {
    if (!shutdown) shutdown = std::move(reports->tasks.shutdown);
    numbers.pop_back();
    reports.reset();
    reports = LoadLast(recording, scope, numbers, loaded);
  }
  if (reports && shutdown && reports->tasks.shutdown) {
    reports.reset();
    reports = LoadLast(recording, scope, all, loaded);
  }
  if (!reports) return nullptr;
  if (shutdown) reports->tasks.shutdown = std::move(shutdown);
  JudgeByEarlier(
      recording, loaded.snapshots,
      {reports->model, reports->names, reports->paths, reports->dominators, reports->tree},
      reports->leaks, scope.shows_progress);
  return reports;
}

}  // namespace

Result<LoadedReports> LoadReports(std::span<const std::string> paths, const ReportScope& scope) {
  Result<Recording> recording = OpenRecording(paths, scope.shows_progress);
  if (!recording) return recording.error();
  LoadedReports loaded;
  const Integrity& integrity = recording->integrity();
  std::unique_ptr<EventReports> events;
  if (integrity.has_events) {
    Result<std::unique_ptr<Model>> model =
        LoadModel(*recording, {}, scope.shows_progress, scope.symbols);
    if (!model) return model.error();
    loaded.model = std::move(*model);
    if (scope.analyses) events = std::make_unique<EventReports>(*loaded.model);
  }
  loaded.recording_id = integrity.recording_id;
  loaded.lost_segments = integrity.lost_segments();
  std::unique_ptr<HeapReports> heap;
  if (!integrity.heaps.empty() && (scope.heap || !loaded.model)) {
    heap = LoadHeapReports(*recording, scope, loaded);
  }
  if (!loaded.model && !loaded.heap) {
    return Error{loaded.damages.empty() ? "The recording is empty." : loaded.damages.front()};
  }
  if (LacksSomething(integrity)) {
    loaded.damages.insert(loaded.damages.begin(), LossSentence(integrity));
  }
  if (scope.analyses) loaded.reports = MakeReports(std::move(events), std::move(heap));
  return loaded;
}

}  // namespace hindsight::analyzer
