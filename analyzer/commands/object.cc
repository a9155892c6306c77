// `hindsight object`: one object with its fields, and all that refers to it.
#include <iostream>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const HeapOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const Result<ObjectId> object = FindObject(model, options.target);
  if (!object) return Fail(object.error());
  const SlotNames names(model);
  const ObjectDetails details =
      DescribeObject(model, *heap->dominators, names, *heap->paths, *object, options.Rows());
  std::cout << (options.json ? ObjectJson(model, *heap->dominators, details)
                             : ObjectText(model, *heap->dominators, details, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterObject(CLI::App& app, ExitCode& exit_code) {
  AddHeapCommand(app, exit_code,
                 {.name = "object",
                  .description = "One object: fields, size, who refers to it, why it is alive",
                  .target = "Its address, as other commands print it; also one inside it",
                  .has_top = true,
                  .run = Run},
                 std::make_shared<HeapOptions>());
}

}  // namespace hindsight::analyzer
