// `hindsight deadlocks`: threads and tasks that wait for each other forever.
#include <iostream>
#include <memory>
#include <optional>

#include "analyzer/analyses/waits/deadlocks.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/waits/deadlocks_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode Print(const HeapCommandOptions& options, const DeadlockOrigin& origin,
               const DeadlockReport& report) {
  std::cout << (options.json ? DeadlocksJson(origin, report)
                             : DeadlocksText(origin, report, StdoutStyle()));
  return ExitCode::kOk;
}

ExitCode RunOnEvents(Recording& recording, const HeapCommandOptions& options) {
  const Result<std::unique_ptr<Model>> model = LoadModel(recording);
  if (!model) return Fail(model.error());
  return Print(options, {.heap = nullptr, .events = model->get()}, FindDeadlocks(**model));
}

ExitCode RunDeadlocks(const HeapCommandOptions& options) {
  Result<Recording> recording = OpenRecording(options.paths);
  if (!recording) return Fail(recording.error());
  if (!options.snapshot && recording->integrity().heaps.empty()) {
    return RunOnEvents(*recording, options);
  }
  const Result<Heap> heap = LoadHeap(*recording, options.snapshot, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  // A file with only a snapshot has no events: then it is unknown since when threads have been
  // waiting.
  const Result<std::unique_ptr<Model>> events = LoadModel(*recording);
  const Model* const model = events ? events->get() : nullptr;
  const HeapWaits waits(*heap->model, *heap->paths);
  const DeadlockReport report = FindDeadlocks(waits, model);
  if (report.deadlocks.empty() && model != nullptr && !options.snapshot) {
    // A deadlock may have occurred after the snapshot, or the snapshot contains no threads.
    const DeadlockReport later = FindDeadlocks(*model);
    if (!later.deadlocks.empty()) return Print(options, {.heap = nullptr, .events = model}, later);
  }
  return Print(options, OriginOf(waits), report);
}

}  // namespace

void DescribeDeadlocks(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.run = RunDeadlocks}, options);
  command.Example("hindsight deadlocks shop.hindsight",
                  "cycles of waiting threads and tasks, with stacks");
  command.SeeAlso({"hindsight threads", "hindsight locks", "hindsight tasks"});
}

}  // namespace hindsight::analyzer
