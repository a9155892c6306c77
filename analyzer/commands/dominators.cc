// `hindsight dominators`: who alone holds what, by type.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/heap_tree_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const HeapOptions& options) {
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

void RegisterDominators(CLI::App& app, ExitCode& exit_code) {
  AddHeapCommand(app, exit_code,
                 {.name = "dominators",
                  .description = "Who alone keeps what alive: the dominator tree, by type",
                  .has_tree = true,
                  .run = Run},
                 std::make_shared<HeapOptions>());
}

}  // namespace hindsight::analyzer
