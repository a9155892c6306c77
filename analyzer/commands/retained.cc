// `hindsight retained`: the objects without which most memory would be free.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const HeapOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const SlotNames names(model);
  const LargestObjects largest =
      FindLargest(model, *heap->dominators, names, *heap->paths, options.Rows(), options.all);
  std::cout << (options.json ? RetainedJson(model, largest)
                             : RetainedText(model, largest, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterRetained(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<HeapOptions>();
  CLI::App* command =
      AddHeapCommand(app, exit_code,
                     {.name = "retained",
                      .description = "The objects that keep most memory alive, and what holds them",
                      .has_top = true,
                      .run = Run},
                     options);
  command->add_flag("--all", options->all,
                    "Also objects that one listed already holds nearly alone");
}

}  // namespace hindsight::analyzer
