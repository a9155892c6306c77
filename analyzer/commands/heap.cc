// `hindsight heap`: a snapshot's facts, and objects and bytes by type.
#include <iostream>
#include <map>
#include <string>

#include "analyzer/commands/heap_command.h"
#include "analyzer/reader/heap_reader.h"
#include "analyzer/report/heap/histogram_report.h"

namespace hindsight::analyzer {
namespace {

const std::map<std::string, HistogramOrder> kOrders = {{"bytes", HistogramOrder::kBytes},
                                                       {"retained", HistogramOrder::kRetained},
                                                       {"objects", HistogramOrder::kObjects},
                                                       {"garbage", HistogramOrder::kGarbage}};

ExitCode Run(const HeapOptions& options) {
  const Result<Heap> heap = LoadHeap(options, HeapNeeds::kDominators);
  if (!heap) return Fail(heap.error());
  const Result<std::vector<HeapFacts>> snapshots = ListHeaps(options.paths);
  if (!snapshots) return Fail(snapshots.error());
  const HeapModel& model = *heap->model;
  const TypeHistogram histogram =
      MakeTypeHistogram(model, *heap->dominators, DominatorTree(*heap->dominators));
  HistogramView view;
  view.model = &model;
  view.dominators = &*heap->dominators;
  view.histogram = &histogram;
  view.snapshots = *snapshots;
  view.order = kOrders.at(options.sort);
  view.top = options.Rows();
  std::cout << (options.json ? HistogramJson(view) : HistogramText(view, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterHeap(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<HeapOptions>();
  options->top = 30;
  options->sort = "bytes";
  CLI::App* command =
      AddHeapCommand(app, exit_code,
                     {.name = "heap",
                      .description = "A heap snapshot: when and how it was taken, what is in it",
                      .has_top = true,
                      .run = Run},
                     options);
  command->add_option("--sort", options->sort, "bytes, retained, objects or garbage")
      ->check(CLI::IsMember({"bytes", "retained", "objects", "garbage"}));
}

}  // namespace hindsight::analyzer
