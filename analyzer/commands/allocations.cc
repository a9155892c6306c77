// `hindsight allocations`: what was allocated: by type, by path, by thread, over time; and what of
// it a heap snapshot still holds.
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/analyses/allocations/allocation_profile.h"
#include "analyzer/analyses/allocations/retained_allocations.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/event_command.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/commands/lines_option.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/allocations/allocations_report.h"
#include "analyzer/report/allocations/retained_report.h"

namespace hindsight::analyzer {
namespace {

const std::map<std::string, AllocationHeap> kHeaps = {{"small", AllocationHeap::kSmall},
                                                      {"large", AllocationHeap::kLarge},
                                                      {"pinned", AllocationHeap::kPinned}};

struct AllocationsOptions {
  EventCommand common;
  AllocationQuery query;
  std::string heap;
  double threshold = 1;
  LinesOption lines;
  bool retained = false;
  std::optional<uint32_t> snapshot;

  AllocationTextOptions Text() const {
    return {.top = common.top, .min_share = threshold / 100, .style = StdoutStyle()};
  }
};

// Lines as asked for; `lines` is null if none are, and outlives what comes back.
LineOf LineOfPlaces(const std::unique_ptr<Lines>& lines) {
  if (!lines) return {};
  return [&lines](MethodId method, int32_t il_offset) {
    return LineLabel(lines->Of(method, il_offset));
  };
}

ExitCode RunRetained(AllocationsOptions options) {
  const Result<Heap> heap = LoadHeap(options.common.paths, options.snapshot, HeapNeeds::kPaths);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const std::unique_ptr<Lines> lines = options.lines.Open(model.dictionaries);
  options.query.paths.line_of = LineOfPlaces(lines);
  const RetainedAllocations report = AnalyzeRetainedAllocations(model, *heap->paths, options.query);
  std::cout << (options.common.json
                    ? RetainedAllocationsJson(model, report, options.query)
                    : RetainedAllocationsText(model, report, options.query, options.Text()));
  if (!options.common.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

ExitCode Run(AllocationsOptions options) {
  if (options.retained) return RunRetained(std::move(options));
  const Result<TimeWindow> window = WindowOf(options.common);
  if (!window) return Fail(window.error());
  AllocationQuery& query = options.query;
  query.from_ns = window->from_ns;
  query.to_ns = window->to_ns;
  if (!options.heap.empty()) query.heap = kHeaps.at(options.heap);
  const Result<std::unique_ptr<Model>> model = LoadModel(options.common.paths);
  if (!model) return Fail(model.error());
  const std::unique_ptr<Lines> lines = options.lines.Open((*model)->dictionaries);
  query.paths.line_of = LineOfPlaces(lines);
  const AllocationReport report = AnalyzeAllocations(**model, query);
  std::cout << (options.common.json ? AllocationsJson(report, query)
                                    : AllocationsText(report, query, options.Text()));
  if (!options.common.json) std::cout << LineNotes(lines.get());
  return ExitCode::kOk;
}

}  // namespace

void RegisterAllocations(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<AllocationsOptions>();
  AllocationQuery& query = options->query;
  CLI::App* const command = AddEventCommand(
      app, "allocations", "What was allocated: types, paths and methods, by thread and over time",
      options->common);
  AddTop(*command, "Types, methods and threads", options->common);
  command->add_option("--type", query.type,
                      "Only types that contain this, or match it with * and ?");
  command->add_option("--focus", query.focus,
                      "Only paths through methods that contain this, or match it with * and ?");
  CLI::Option* const heap =
      command
          ->add_option("--heap", options->heap, "Only objects of this heap: small, large or pinned")
          ->check(CLI::IsMember(kHeaps));
  command->add_flag("--bottom-up", query.bottom_up,
                    "Callers below what they called, in the place of paths from the root");
  CLI::Option* const thread =
      command->add_option("--thread", query.thread, "Only this thread: name, or OS id");
  AddTimeWindow(*command, options->common);
  CLI::Option* const retained =
      command
          ->add_flag("--retained", options->retained,
                     "Only what a heap snapshot still holds (sources=heap,allocations)")
          ->excludes(heap)
          ->excludes(thread)
          ->excludes("--from")
          ->excludes("--to");
  command
      ->add_option("--snapshot", options->snapshot,
                   "With --retained: number of the snapshot; the newest by default")
      ->needs(retained);
  options->lines.AddTo(*command);
  command->add_flag("--plumbing", query.paths.plumbing,
                    "Show tasks' and async methods' machinery, and stacks as they really were");
  command
      ->add_option("--threshold", options->threshold,
                   "Per cent of the bytes below which a path is folded")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
