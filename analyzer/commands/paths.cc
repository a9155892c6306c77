// `hindsight paths`: why objects are alive, as a tree of the shortest paths from the roots.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/heap_tree_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunPaths(const HeapCommandOptions& options) {
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

void DescribePaths(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command,
                      {.target = "TYPE",
                       .target_help = "A type (* and ? match any text) or an address",
                       .has_tree = true,
                       .run = RunPaths},
                      options);
  command.Example("hindsight paths Shop.Order shop.hindsight", "what keeps orders alive");
  command.Example("hindsight paths 'Shop.*Cache*' shop.hindsight",
                  "the same for all matching types");
  command.SeeAlso({"hindsight object", "hindsight dominators"});
}

}  // namespace hindsight::analyzer
