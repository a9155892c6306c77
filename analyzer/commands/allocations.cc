// `hindsight allocations`: what was allocated, by type, path, thread and time; and what of it a
// heap snapshot still contains.
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/allocations/retained_report.h"

namespace hindsight::analyzer {
namespace {

const std::map<std::string, AllocationHeap> kHeaps = {{"small", AllocationHeap::kSmall},
                                                      {"large", AllocationHeap::kLarge},
                                                      {"pinned", AllocationHeap::kPinned}};

struct AllocationsOptions {
  std::vector<std::string> paths;
  TimeOptions times;
  size_t top = 10;
  bool json = false;
  AllocationQuery query;
  std::string heap;
  double min_share = 1;  // percent
  LinesOption lines;
  bool retained = false;
  std::optional<uint32_t> snapshot;

  AllocationTextOptions Text() const {
    return {.top = top, .min_share = min_share / 100, .style = StdoutStyle()};
  }
};

// Lines if requested; `lines` is null if they are not, and must outlive the result.
LineOf LineOfPlaces(const std::unique_ptr<Lines>& lines) {
  if (!lines) return {};
  return [&lines](MethodId method, int32_t il_offset) {
    return LineLabel(lines->Of(method, il_offset));
  };
}

ExitCode RunRetained(AllocationsOptions options) {
  const Result<Heap> heap = LoadHeap(options.paths, options.snapshot, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const std::unique_ptr<Lines> lines = options.lines.Open(model.dictionaries);
  options.query.paths.line_of = LineOfPlaces(lines);
  const RetainedAllocations report = AnalyzeRetainedAllocations(model, *heap->paths, options.query);
  std::cout << (options.json
                    ? RetainedAllocationsJson(model, report, options.query)
                    : RetainedAllocationsText(model, report, options.query, options.Text()));
  if (!options.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

ExitCode Run(AllocationsOptions options) {
  if (options.retained) return RunRetained(std::move(options));
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  AllocationQuery& query = options.query;
  query.from_ns = window->from_ns;
  query.to_ns = window->to_ns;
  if (!options.heap.empty()) query.heap = kHeaps.at(options.heap);
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  query.paths.line_of = LineOfPlaces(lines);
  const AllocationReport report = AnalyzeAllocations(**model, query);
  std::cout << (options.json ? AllocationsJson(report, query)
                             : AllocationsText(report, query, options.Text()));
  if (!options.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

}  // namespace

void DescribeAllocations(cli::Command& command) {
  const auto options = std::make_shared<AllocationsOptions>();
  AllocationQuery& query = options->query;
  AddRecording(command, options->paths);
  AddTop(command, options->top, "Types, methods and threads");
  AddType(command, query.type);
  AddFocus(command, query.focus);
  command
      .Value("--heap", "HEAP", options->heap, "Only objects on this heap: small, large or pinned")
      .Choices({"small", "large", "pinned"});
  AddBottomUp(command, query.bottom_up);
  AddThread(command, query.thread);
  AddTimes(command, options->times);
  AddMinShare(command, options->min_share,
              "Fold paths with less than this percentage of the bytes");
  command
      .Flag("--retained", options->retained,
            "Only objects still alive in a heap snapshot (needs sources=+heap)")
      .Excludes("--heap")
      .Excludes("--thread")
      .Excludes("--from")
      .Excludes("--to");
  AddSnapshot(command, options->snapshot).Needs("--retained");
  options->lines.AddTo(command);
  AddPlumbing(command, query.paths.plumbing);
  AddJson(command, options->json);
  command.Example("hindsight allocations shop.hindsight",
                  "by type, and the paths that allocate most");
  command.Example("hindsight allocations shop.hindsight --type String --bottom-up",
                  "who allocates strings");
  command.Example("hindsight allocations shop.hindsight --retained",
                  "where the objects still alive were allocated");
  command.SeeAlso({"hindsight gc", "hindsight heap", "hindsight export"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
