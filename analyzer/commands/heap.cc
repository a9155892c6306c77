// `hindsight heap`: a snapshot's facts, and objects and bytes by type.
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "analyzer/commands/heap_command.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/heap/histogram_report.h"

namespace hindsight::analyzer {
namespace {

const std::map<std::string, HistogramOrder> kOrders = {{"bytes", HistogramOrder::kBytes},
                                                       {"retained", HistogramOrder::kRetained},
                                                       {"objects", HistogramOrder::kObjects},
                                                       {"garbage", HistogramOrder::kGarbage}};

ExitCode RunHeap(const HeapCommandOptions& options) {
  Result<Recording> recording = OpenRecording(options.paths);
  if (!recording) return Fail(recording.error());
  const Result<Heap> heap = LoadHeap(*recording, options.snapshot, HeapNeeds::kDominators);
  if (!heap) return Fail(heap.error());
  const std::vector<HeapFacts> snapshots = ListHeaps(*recording);
  const HeapModel& model = *heap->model;
  const TypeHistogram histogram =
      MakeTypeHistogram(model, *heap->dominators, DominatorTree(*heap->dominators));
  HistogramView view;
  view.model = &model;
  view.dominators = &*heap->dominators;
  view.histogram = &histogram;
  view.snapshots = snapshots;
  view.order = kOrders.at(options.sort);
  view.top = options.Rows();
  std::cout << (options.json ? HistogramJson(view) : HistogramText(view, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void DescribeHeap(cli::Command& command) {
  const auto options = std::make_shared<HeapCommandOptions>();
  options->sort = "bytes";
  DescribeHeapCommand(command, {.has_top = true, .run = RunHeap}, options);
  command.Value("--sort", "ORDER", options->sort, "bytes, retained, objects or garbage")
      .Choices({"bytes", "retained", "objects", "garbage"})
      .Default("bytes");
  command.Example("hindsight heap shop.hindsight", "types by their bytes");
  command.Example("hindsight heap shop.hindsight --sort retained --top 0",
                  "all types, by retained size");
  command.SeeAlso({"hindsight leaks", "hindsight retained", "hindsight diff"});
}

}  // namespace hindsight::analyzer
