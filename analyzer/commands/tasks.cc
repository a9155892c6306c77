// `hindsight tasks`: what unfinished async methods await, and what holds it.
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include "analyzer/analyses/waits/stuck_tasks.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/waits/tasks_report.h"

namespace hindsight::analyzer {
namespace {

// The snapshot before the requested one.
std::optional<uint32_t> NumberBefore(Recording& recording, std::optional<uint32_t> asked_for) {
  const std::vector<HeapFacts> heaps = ListHeaps(recording);
  if (heaps.empty()) return {};
  const uint32_t number = asked_for.value_or(heaps.back().number);
  std::optional<uint32_t> before;
  for (const HeapFacts& heap : heaps) {
    if (heap.number < number && heap.certified_objects > 0) before = heap.number;
  }
  return before;
}

ExitCode RunTasks(const HeapCommandOptions& options) {
  Result<Recording> recording = OpenRecording(options.paths);
  if (!recording) return Fail(recording.error());
  // Only one snapshot is in memory at a time; of the previous one, only the state of its tasks is
  // kept.
  std::optional<TaskAwaits> awaits;
  if (const auto before = NumberBefore(*recording, options.snapshot)) {
    if (const Result<Heap> heap = LoadHeap(*recording, before, HeapNeeds::kPaths)) {
      awaits = AwaitsOf(HeapWaits(*heap->model, *heap->paths));
    }
  }
  const Result<Heap> heap = LoadHeap(*recording, options.snapshot, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const bool is_later = awaits && awaits->snapshot != model.graph.facts.number;
  const SlotNames names(model);
  const TaskReport report = FindTasks(HeapWaits(model, *heap->paths), names,
                                      is_later ? &*awaits : nullptr, heap->dominators->immediate);
  std::cout << (options.json ? TasksJson(model, report)
                             : TasksText(model, report, options.Rows(), StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeTasks(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunTasks}, options);
  command.Example("hindsight tasks shop.hindsight",
                  "unfinished async methods, and what they await");
  command.Example("hindsight tasks shop.hindsight --snapshot 1", "as of the first snapshot");
  command.SeeAlso({"hindsight deadlocks", "hindsight pool"});
}

}  // namespace hindsight::analyzer
