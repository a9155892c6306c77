// `hindsight retained`: the objects without which most memory would be free.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunRetained(const HeapOptions& options) {
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

void DescribeRetained(cli::Command& command) {
  const auto options = std::make_shared<HeapOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunRetained}, options);
  command.Flag("--all", options->all, "Also objects that one listed already holds nearly alone");
  command.Example("hindsight retained shop.hindsight", "the 20 objects that hold most");
  command.Example("hindsight retained shop.hindsight --top 50 --all",
                  "more of them, also those that one listed holds");
  command.SeeAlso({"hindsight dominators", "hindsight object"});
}

}  // namespace hindsight::analyzer
