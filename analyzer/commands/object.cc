// `hindsight object`: one object with its fields, and everything that refers to it.
#include <iostream>

#include "analyzer/analyses/heap/targets.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/object_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunObject(const HeapCommandOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const Result<ObjectId> object = FindObject(model, options.target);
  if (!object) return Fail(object.error());
  const SlotNames names(model);
  const ObjectDetails details = DescribeObject(model, *heap->dominators, names, *heap->paths,
                                               *object, {.rows = options.Rows()});
  std::cout << (options.json ? ObjectJson(model, *heap->dominators, details)
                             : ObjectText(model, *heap->dominators, details, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeObject(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command,
                      {.target = "ADDRESS",
                       .target_help = "The object's address, or an address inside it",
                       .has_top = true,
                       .run = RunObject},
                      options);
  command.Example("hindsight object 0x7f3a10004d18 shop.hindsight", "its fields and referrers");
  command.SeeAlso({"hindsight paths", "hindsight retained"});
}

}  // namespace hindsight::analyzer
