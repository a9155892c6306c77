#include "analyzer/analyses/overview/reports.h"

#include <utility>

namespace hindsight::analyzer {

EventReports::EventReports(const Model& model)
    : model(model),
      cpu(AnalyzeCpu(model, {})),
      allocations(AnalyzeAllocations(model, {})),
      exceptions(AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX)),
      gc(AnalyzeGc(model, {})),
      locks(AnalyzeLocks(model)),
      pool(AnalyzePool(model)),
      threads(AnalyzeThreads(model, {})),
      timeline(BuildTimeline(model, {})) {}

HeapReports::HeapReports(const HeapModel& model, const RootPaths& paths,
                         const Dominators& dominators, const TaskStandings* before)
    : model(model),
      paths(paths),
      dominators(dominators),
      names(model),
      tree(dominators),
      waits(model, paths),
      leaks(AnalyzeLeaks(model, names, paths, dominators, tree)),
      tasks(FindTasks(waits, names, before)) {}

Reports MakeReports(std::unique_ptr<EventReports> events, std::unique_ptr<HeapReports> heap) {
  Reports reports;
  const Model* const model = events ? &events->model : nullptr;
  if (heap) {
    reports.deadlocks = FindDeadlocks(heap->waits, model);
    reports.deadlocks_from_heap = true;
  }
  // It may have come to a deadlock after the snapshot, or the snapshot knows no threads.
  if (model != nullptr && reports.deadlocks.deadlocks.empty()) {
    DeadlockReport later = FindDeadlocks(*model);
    if (!heap || !later.deadlocks.empty()) {
      reports.deadlocks = std::move(later);
      reports.deadlocks_from_heap = false;
    }
  }
  reports.events = std::move(events);
  reports.heap = std::move(heap);
  return reports;
}

}  // namespace hindsight::analyzer
