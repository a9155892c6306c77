// Measures of a heap snapshot.
#include <algorithm>

#include "analyzer/analyses/heap/collections.h"
#include "analyzer/analyses/heap/generations.h"
#include "analyzer/analyses/heap/histogram.h"
#include "analyzer/analyses/heap/strings.h"
#include "analyzer/analyses/overview/measure_list.h"
#include "analyzer/analyses/overview/reports.h"
#include "analyzer/model/display_names.h"

namespace hindsight::analyzer {
namespace {

void MeasureTypes(const HeapReports& heap, MeasureList& list) {
  const TypeHistogram histogram = MakeTypeHistogram(heap.model, heap.dominators, heap.tree);
  for (const TypeRow& row : histogram.rows) {
    if (row.objects == 0) continue;
    const std::string type = TypeDisplayName(heap.model.dictionaries, row.type);
    list.AddOf("heap.retained", "type", type, Of(row.retained));
    list.AddOf("heap.bytes", "type", type, Of(row.bytes));
    list.AddOf("heap.objects", "type", type, Of(row.objects));
  }
}

void MeasureLeaks(const HeapReports& heap, MeasureList& list) {
  uint64_t sure = 0;
  uint64_t most = 0;
  double share = 0;
  for (const LeakSuspect& suspect : heap.leaks.suspects) {
    if (suspect.confidence == LeakConfidence::kHigh) ++sure;
    most = std::max(most, suspect.retained);
    share = std::max(share, suspect.share);
    list.AddOf("leaks.retained", "type", TypeDisplayName(heap.model.dictionaries, suspect.type),
               Of(suspect.retained));
  }
  list.Add("leaks.count", Of(heap.leaks.suspects.size()));
  list.Add("leaks.sure", Of(sure));
  list.Add("leaks.retained", Of(most));
  list.Add("leaks.share", share);
}

}  // namespace

void MeasureHeap(const HeapReports& heap, MeasureList& list) {
  const Dominators& dominators = heap.dominators;
  list.Add("heap.bytes", Of(dominators.reachable_bytes));
  list.Add("heap.objects", Of(dominators.reachable_objects));
  list.Add("heap.unreachable", Of(dominators.unreachable_bytes));
  list.Add("heap.pause", Of(heap.model.graph.facts.pause_ns));
  MeasureTypes(heap, list);
  MeasureLeaks(heap, list);

  const GenerationReport generations = AnalyzeGenerations(heap.model, dominators);
  list.Add("heap.pinned", Of(generations.pinned.bytes));
  list.Add("heap.finalizer_queue", Of(generations.finalizer_queue.objects));
  const CollectionReport collections = AnalyzeCollections(heap.model, heap.names, heap.paths);
  list.Add("heap.collections.empty_room", Of(collections.totals.wasted));
  const StringReport strings = AnalyzeStrings(heap.model, heap.names, heap.paths, 0);
  list.Add("heap.strings.bytes", Of(strings.bytes));
  list.Add("heap.strings.duplicates", Of(strings.wasted));
}

}  // namespace hindsight::analyzer
