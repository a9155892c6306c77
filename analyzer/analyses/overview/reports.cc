#include "analyzer/analyses/overview/reports.h"

#include <future>
#include <utility>

namespace hindsight::analyzer {

// Analyses that run concurrently: they share nothing but the model, which they only read. With the
// default launch policy, the caller does the work if no thread is available.
struct EventReports::Running {
  explicit Running(const Model& model)
      : cpu(std::async([&model] { return AnalyzeCpu(model, {}); })),
        allocations(std::async([&model] { return AnalyzeAllocations(model, {}); })),
        exceptions(
            std::async([&model] { return AnalyzeExceptions(model, {}, INT64_MIN, INT64_MAX); })),
        gc(std::async([&model] { return AnalyzeGc(model, {}); })),
        locks(std::async([&model] { return AnalyzeLocks(model); })),
        pool(std::async([&model] { return AnalyzePool(model); })),
        requests(std::async([&model] { return AnalyzeRequests(model); })),
        threads(std::async([&model] { return AnalyzeThreads(model, {}); })),
        timeline(std::async([&model] { return BuildTimeline(model, {}); })) {}

  std::future<CpuProfileReport> cpu;
  std::future<AllocationReport> allocations;
  std::future<ExceptionReport> exceptions;
  std::future<GcReport> gc;
  std::future<LockReport> locks;
  std::future<PoolReport> pool;
  std::future<RequestReport> requests;
  std::future<ThreadReport> threads;
  std::future<Timeline> timeline;
};

EventReports::EventReports(const Model& model) : EventReports(model, Running(model)) {}

EventReports::EventReports(const Model& model, Running running)
    : model(model),
      cpu(running.cpu.get()),
      allocations(running.allocations.get()),
      exceptions(running.exceptions.get()),
      gc(running.gc.get()),
      locks(running.locks.get()),
      pool(running.pool.get()),
      requests(running.requests.get()),
      threads(running.threads.get()),
      timeline(running.timeline.get()) {}

HeapReports::HeapReports(const HeapModel& model, const RootPaths& paths,
                         const Dominators& dominators, const TaskAwaits* before)
    : model(model),
      paths(paths),
      dominators(dominators),
      names(model),
      tree(dominators),
      waits(model, paths),
      leaks(AnalyzeLeaks(model, names, paths, dominators, tree)),
      tasks(FindTasks(waits, names, before, dominators.immediate)) {}

Reports MakeReports(std::unique_ptr<EventReports> events, std::unique_ptr<HeapReports> heap) {
  Reports reports;
  const Model* const model = events ? &events->model : nullptr;
  if (heap) {
    reports.deadlocks = FindDeadlocks(heap->waits, model);
    reports.deadlocks_from_heap = true;
  }
  // A deadlock may have occurred after the snapshot, or the snapshot contains no threads.
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
