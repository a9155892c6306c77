// `hindsight strings`: duplicates, lengths, and what holds strings.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/contents_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunStrings(const HeapCommandOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const SlotNames names(model);
  const StringReport report = AnalyzeStrings(model, names, *heap->paths, options.Rows());
  std::cout << (options.json ? StringsJson(model, report)
                             : StringsText(model, report, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeStrings(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunStrings}, options);
  command.Example("hindsight strings shop.hindsight", "the largest strings, and their duplicates");
  command.SeeAlso({"hindsight collections", "hindsight paths"});
}

}  // namespace hindsight::analyzer
