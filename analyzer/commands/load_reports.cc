#include "analyzer/commands/load_reports.h"

#include <utility>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"

namespace hindsight::analyzer {
namespace {

// Snapshots that have objects, by number.
std::vector<uint32_t> WithObjects(const std::vector<HeapFacts>& heaps) {
  std::vector<uint32_t> numbers;
  for (const HeapFacts& heap : heaps) {
    if (heap.certified_objects > 0) numbers.push_back(heap.number);
  }
  return numbers;
}

// Where tasks stood in the snapshot before the newest. One heap is in memory at a time.
std::optional<TaskStandings> StandingsBefore(std::span<const std::string> paths,
                                             const std::vector<uint32_t>& numbers) {
  if (numbers.size() < 2) return {};
  const Result<Heap> heap = LoadHeap(paths, numbers[numbers.size() - 2], HeapNeeds::kPaths);
  if (!heap) return {};
  return StandingsOf(HeapWaits(*heap->model, *heap->paths));
}

// The newest snapshot into `loaded`, if there is one.
std::unique_ptr<HeapReports> LoadHeapReports(std::span<const std::string> paths,
                                             LoadedReports& loaded) {
  const auto heaps = ListHeaps(paths);
  if (!heaps) {
    loaded.damages.push_back(heaps.error().sentence);
    return nullptr;
  }
  const std::vector<uint32_t> numbers = WithObjects(*heaps);
  const std::optional<TaskStandings> before = StandingsBefore(paths, numbers);
  Result<Heap> heap = LoadHeap(
      paths, numbers.empty() ? std::nullopt : std::optional(numbers.back()), HeapNeeds::kBoth);
  if (!heap) {
    loaded.damages.push_back(heap.error().sentence);
    return nullptr;
  }
  loaded.heap = std::make_unique<Heap>(std::move(*heap));
  return std::make_unique<HeapReports>(*loaded.heap->model, *loaded.heap->paths,
                                       *loaded.heap->dominators, before ? &*before : nullptr);
}

}  // namespace

Result<LoadedReports> LoadReports(std::span<const std::string> paths) {
  Progress progress("reading");
  Result<Recording> recording = Recording::Open(paths, &progress);
  if (!recording) return recording.error();
  LoadedReports loaded;
  std::unique_ptr<EventReports> events;
  if (recording->integrity().has_events) {
    Result<std::unique_ptr<Model>> model = BuildModel(*recording, {}, &progress);
    if (!model) return model.error();
    loaded.model = std::move(*model);
    events = std::make_unique<EventReports>(*loaded.model);
  }
  progress.Finish();
  std::unique_ptr<HeapReports> heap;
  if (!recording->integrity().heaps.empty()) heap = LoadHeapReports(paths, loaded);
  if (!events && !heap) {
    return Error{loaded.damages.empty() ? "There is nothing to read in the recording."
                                        : loaded.damages.front()};
  }
  if (const std::string loss = LossSentence(recording->integrity()); !loss.empty()) {
    loaded.damages.insert(loaded.damages.begin(), loss);
  }
  loaded.reports = MakeReports(std::move(events), std::move(heap));
  return loaded;
}

}  // namespace hindsight::analyzer
