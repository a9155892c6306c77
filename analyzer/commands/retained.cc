// `hindsight retained`: the objects without which most memory would be free.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunRetained(const HeapCommandOptions& options) {
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
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunRetained}, options);
  command.Flag("--all", options->all,
               "Also list objects that are almost entirely retained by one already listed");
  command.Example("hindsight retained shop.hindsight", "the 20 objects that retain most");
  command.Example("hindsight retained shop.hindsight --top 50 --all",
                  "more objects, nested ones included");
  command.SeeAlso({"hindsight dominators", "hindsight object"});
}

}  // namespace hindsight::analyzer
