// `hindsight generations`: what is in which generation, what is pinned, what waits for its
// finalizer.
#include <iostream>

#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/contents_reports.h"

namespace hindsight::analyzer {
namespace {

ExitCode RunGenerations(const HeapCommandOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kDominators);
  if (!heap) return Fail(heap.error());
  const GenerationReport report = AnalyzeGenerations(*heap->model, *heap->dominators);
  std::cout << (options.json
                    ? GenerationsJson(*heap->model, report)
                    : GenerationsText(*heap->model, report, options.Rows(), StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeGenerations(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  DescribeHeapCommand(command, {.has_top = true, .run = RunGenerations}, options);
  command.Example("hindsight generations shop.hindsight",
                  "what survives, what is pinned, what waits for a finalizer");
  command.SeeAlso({"hindsight gc", "hindsight heap"});
}

}  // namespace hindsight::analyzer
