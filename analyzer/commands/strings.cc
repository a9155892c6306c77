// `hindsight strings`: duplicates, lengths, and who holds strings.
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
  const StringReport report = AnalyzeStrings(model, names, *heap->paths, options.Rows());
  std::cout << (options.json ? StringsJson(model, report)
                             : StringsText(model, report, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterStrings(CLI::App& app, ExitCode& exit_code) {
  AddHeapCommand(app, exit_code,
                 {.name = "strings",
                  .description = "Strings: duplicates if contents were recorded, lengths, holders",
                  .has_top = true,
                  .run = Run},
                 std::make_shared<HeapOptions>());
}

}  // namespace hindsight::analyzer
