// `hindsight collections`: how full collections are, and what their unused capacity costs.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/contents_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunCollections(const HeapCommandOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const SlotNames names(model);
  const CollectionReport report = AnalyzeCollections(model, names, *heap->paths);
  std::cout << (options.json ? CollectionsJson(model, report)
                             : CollectionsText(model, report, options.Rows(), StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeCollections(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunCollections}, options);
  command.Example("hindsight collections shop.hindsight",
                  "collections with the most unused capacity");
  command.SeeAlso({"hindsight strings", "hindsight heap"});
}

}  // namespace hindsight::analyzer
