#include "analyzer/commands/diff_heaps.h"

#include <utility>
#include <vector>

#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_model.h"

namespace hindsight::analyzer {

Result<Recording*> OpenRecordings::At(const std::string& path) {
  const auto known = by_path_.find(path);
  if (known != by_path_.end()) return &known->second;
  Result<Recording> opened = OpenRecording({&path, 1}, shows_progress_);
  if (!opened) return opened.error();
  return &by_path_.emplace(path, std::move(*opened)).first->second;
}

Result<std::string> WithHeapDiff(std::span<const HeapSource> sources, OpenRecordings& recordings,
                                 const DiffRules& rules,
                                 const std::function<std::string(DiffView&)>& report) {
  std::vector<HeapSummary> heaps;
  std::vector<std::string> labels;
  // Of the last one, the only one that is kept.
  Heap heap;
  std::optional<SlotNames> names;
  HeapPaths folded;
  for (const HeapSource& source : sources) {
    heap = {};
    const Result<Recording*> recording = recordings.At(source.path);
    if (!recording) return recording.error();
    Result<Heap> loaded =
        LoadHeap(**recording, source.snapshot, HeapNeeds::kBoth, recordings.shows_progress());
    if (!loaded) return loaded.error();
    heap = std::move(*loaded);
    names.emplace(*heap.model);
    const DominatorTree tree(*heap.dominators);
    heaps.push_back(
        SummarizeHeap(*heap.model, *names, *heap.paths, *heap.dominators, tree, &folded));
    labels.push_back(source.path);
    heap.dominators.reset();
  }
  const HeapDiff diff = CompareHeaps(heaps, *heap.model, *names, *heap.paths, folded, rules);
  DiffView view{
      .heaps = heaps, .labels = labels, .model = heap.model.get(), .names = &*names, .diff = &diff};
  return report(view);
}

}  // namespace hindsight::analyzer
