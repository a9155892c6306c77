#include "analyzer/commands/heap_command.h"

#include <filesystem>
#include <future>
#include <system_error>
#include <utility>

#include "analyzer/base/console.h"
#include "analyzer/base/path_text.h"
#include "analyzer/base/progress.h"
#include "analyzer/reader/heap_reader.h"

namespace hindsight::analyzer {
namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(PathOf(path), error);
}

}  // namespace

Result<Heap> LoadHeap(Recording& recording, std::optional<uint32_t> snapshot, HeapNeeds needs,
                      bool shows_progress) {
  Heap heap;
  Progress reading = ProgressOf("reading", shows_progress);
  Result<std::unique_ptr<HeapModel>> model = ReadHeap(recording, snapshot, &reading);
  reading.Finish();
  if (!model) return model.error();
  heap.model = std::move(*model);
  const HeapGraph& graph = heap.model->graph;
  std::future<RootPaths> beside;
  if (needs == HeapNeeds::kBoth) {
    beside = std::async(std::launch::async, [&heap] { return FindRootPaths(*heap.model); });
  }
  if (needs == HeapNeeds::kPaths) heap.paths.emplace(FindRootPaths(*heap.model));
  if (needs == HeapNeeds::kDominators || needs == HeapNeeds::kBoth) {
    Progress thinking = ProgressOf("retained sizes", shows_progress);
    heap.dominators = ComputeDominators(graph, &thinking);
    thinking.Finish();
  }
  if (beside.valid()) heap.paths = beside.get();
  return heap;
}

Result<Heap> LoadHeap(std::span<const std::string> paths, std::optional<uint32_t> snapshot,
                      HeapNeeds needs) {
  Result<Recording> recording = OpenRecording(paths);
  if (!recording) return recording.error();
  return LoadHeap(*recording, snapshot, needs);
}

TextStyle StdoutStyle() { return DetectTextStyle(kStandardOutput); }

void DescribeHeapCommand(cli::Command& command, const HeapCommand& traits,
                         const std::shared_ptr<HeapCommandOptions>& options) {
  const bool has_target = traits.target != nullptr;
  if (has_target) command.Argument(traits.target, options->target, traits.target_help);
  AddRecording(command, options->paths);
  AddSnapshot(command, options->snapshot);
  if (traits.has_top) AddTop(command, options->top, "Rows");
  if (traits.has_tree) {
    AddMinShare(command, options->min_share,
                "Fold branches with less than this percentage of the bytes; 0: none");
    command.Value("--depth", "N", options->depth, "Levels to show");
  }
  AddJson(command, options->json);
  command.Runs([options, has_target, run = traits.run] {
    // Either order is accepted.
    if (has_target && Exists(options->target) && !Exists(options->paths.back())) {
      std::swap(options->target, options->paths.back());
    }
    return run(*options);
  });
}

}  // namespace hindsight::analyzer
