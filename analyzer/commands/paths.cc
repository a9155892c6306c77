// `hindsight paths`: why objects are alive, as a tree of the shortest paths from the roots.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/heap_tree_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const HeapOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const Result<HeapTargets> targets = FindTargets(model, options.target);
  if (!targets) return Fail(targets.error());
  const SlotNames names(model);
  const MergedPaths merged =
      MergePaths(model, names, *heap->paths, *targets, {options.min_share / 100, options.depth});
  std::cout << (options.json ? PathsJson(model, merged, options.target)
                             : PathsText(model, merged, options.target, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterPaths(CLI::App& app, ExitCode& exit_code) {
  AddHeapCommand(app, exit_code,
                 {.name = "paths",
                  .description = "Why objects are alive: the shortest paths from the roots to them",
                  .target = "A type (* and ? stand for any text) or an address",
                  .has_tree = true,
                  .run = Run},
                 std::make_shared<HeapOptions>());
}

}  // namespace hindsight::analyzer
