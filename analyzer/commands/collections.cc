// `hindsight collections`: how full collections are, and what their empty room costs.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/contents_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const HeapOptions& options) {
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

void RegisterCollections(CLI::App& app, ExitCode& exit_code) {
  AddHeapCommand(app, exit_code,
                 {.name = "collections",
                  .description = "How full List, Dictionary and the like are; what that wastes",
                  .has_top = true,
                  .run = Run},
                 std::make_shared<HeapOptions>());
}

}  // namespace hindsight::analyzer
