#include "analyzer/commands/heap_series.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/analyses/heap/heap_diff.h"
#include "analyzer/analyses/heap/leak_series.h"
#include "analyzer/commands/heap_command.h"

namespace hindsight::analyzer {
namespace {

std::vector<uint32_t> NumbersBefore(std::span<const HeapFacts> snapshots, uint32_t number) {
  std::vector<uint32_t> all;
  for (const HeapFacts& heap : snapshots) {
    if (heap.number < number && heap.certified_objects > 0) all.push_back(heap.number);
  }
  if (all.size() <= kMostBefore) return all;
  std::vector<uint32_t> some;
  for (size_t i = 0; i < kMostBefore; ++i) {
    some.push_back(all[i * (all.size() - 1) / (kMostBefore - 1)]);
  }
  return some;
}

}  // namespace

void JudgeByEarlier(Recording& recording, std::span<const HeapFacts> snapshots,
                    const HeapInSeries& last, LeakReport& report, bool shows_progress) {
  std::vector<HeapSummary> heaps;
  for (const uint32_t number : NumbersBefore(snapshots, last.model.graph.facts.number)) {
    const Result<Heap> heap = LoadHeap(recording, number, HeapNeeds::kBoth, shows_progress);
    if (!heap || !heap->model->graph.facts.complete()) continue;
    const SlotNames names(*heap->model);
    const DominatorTree tree(*heap->dominators);
    heaps.push_back(SummarizeHeap(*heap->model, names, *heap->paths, *heap->dominators, tree));
  }
  if (heaps.empty()) {
    JudgeSeries({}, last.model, last.names, {}, {}, report);
    return;
  }
  HeapPaths folded;
  heaps.push_back(SummarizeHeap(last.model, last.names, last.paths, last.dominators, last.tree,
                                &folded, SuspectObjects(report)));
  const HeapDiff diff = CompareHeaps(heaps, last.model, last.names, last.paths, folded);
  JudgeSeries(heaps, last.model, last.names, diff, folded, report);
}

}  // namespace hindsight::analyzer
