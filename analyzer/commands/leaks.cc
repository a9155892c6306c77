// `hindsight leaks`: what accumulates in a heap, and which of it looks like a leak.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/heap_series.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/heap/leaks_report.h"

namespace hindsight::analyzer {
namespace {

struct LeaksOptions {
  std::vector<std::string> paths;
  std::optional<uint32_t> snapshot;
  LeakRules rules;
  double min_share = 5;  // percent
  bool json = false;
};

ExitCode Run(const LeaksOptions& options) {
  Result<Recording> recording = OpenRecording(options.paths);
  if (!recording) return Fail(recording.error());
  const Result<Heap> heap = LoadHeap(*recording, options.snapshot, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const DominatorTree tree(*heap->dominators);
  const SlotNames names(model);
  LeakRules rules = options.rules;
  rules.min_share = options.min_share / 100;
  LeakReport report = AnalyzeLeaks(model, names, *heap->paths, *heap->dominators, tree, rules);
  JudgeByEarlier(*recording, ListHeaps(*recording),
                 {model, names, *heap->paths, *heap->dominators, tree}, report);
  std::cout << (options.json ? LeaksJson(model, names, report)
                             : LeaksText(model, names, report, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeLeaks(cli::Command& command) {
  const auto options = std::make_shared<LeaksOptions>();
  AddRecording(command, options->paths);
  AddSnapshot(command, options->snapshot);
  command
      .Value("--min-count", "N", options->rules.min_count, "Minimum number of objects of a suspect")
      .Range(2, 1e12);
  AddMinBytes(command, options->rules.min_bytes, "Minimum retained bytes of a collection or cache");
  AddMinShare(command, options->min_share,
              "Minimum share of the heap retained by a collection or cache, in percent");
  AddJson(command, options->json);
  command.Example("hindsight leaks shop.hindsight", "the suspects, the largest first");
  command.Example("hindsight leaks shop.hindsight --min-share 1", "including smaller ones");
  command.SeeAlso({"hindsight diff", "hindsight retained", "hindsight paths"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
