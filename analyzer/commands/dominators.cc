// `hindsight dominators`: what exclusively holds what, by type.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/heap_tree_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunDominators(const HeapCommandOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const SlotNames names(model);
  const FoldedDominators folded =
      FoldDominators(model, names, *heap->paths, *heap->dominators,
                     DominatorTree(*heap->dominators), {options.min_share / 100, options.depth});
  std::cout << (options.json ? DominatorsJson(model, folded)
                             : DominatorsText(model, folded, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeDominators(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_tree = true, .run = RunDominators}, options);
  command.Example("hindsight dominators shop.hindsight", "what each object keeps alive");
  command.Example("hindsight dominators shop.hindsight --min-share 0 --depth 4",
                  "the upper four levels in full");
  command.SeeAlso({"hindsight retained", "hindsight paths"});
}

}  // namespace hindsight::analyzer
