#include "analyzer/commands/heap_command.h"

#include <unistd.h>

#include <filesystem>
#include <future>
#include <system_error>
#include <utility>

#include "analyzer/base/progress.h"
#include "analyzer/reader/heap_reader.h"

namespace hindsight::analyzer {
namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

Result<Heap> LoadHeap(std::span<const std::string> paths, std::optional<uint32_t> snapshot,
                      HeapNeeds needs) {
  Heap heap;
  Progress reading("reading");
  Result<std::unique_ptr<HeapModel>> model = ReadHeap(paths, snapshot, &reading);
  reading.Finish();
  if (!model) return model.error();
  heap.model = std::move(*model);
  const HeapGraph& graph = heap.model->graph;
  std::future<RootPaths> beside;
  if (needs == HeapNeeds::kBoth) {
    beside = std::async(std::launch::async, [&graph] { return RootPaths(graph); });
  }
  if (needs == HeapNeeds::kPaths) heap.paths.emplace(graph);
  if (needs != HeapNeeds::kPaths) {
    Progress thinking("who holds what");
    heap.dominators = ComputeDominators(graph, &thinking);
    thinking.Finish();
  }
  if (beside.valid()) heap.paths = beside.get();
  return heap;
}

TextStyle StdoutStyle() { return DetectTextStyle(STDOUT_FILENO); }

CLI::App* AddHeapCommand(CLI::App& app, ExitCode& exit_code, const HeapCommand& command,
                         const std::shared_ptr<HeapOptions>& options) {
  CLI::App* sub = app.add_subcommand(command.name, command.description);
  const bool has_target = command.target != nullptr;
  if (has_target) sub->add_option("target", options->target, command.target)->required();
  sub->add_option("recording", options->paths, "Folder or files of one recording")->required();
  sub->add_option("--snapshot", options->snapshot, "Number of the snapshot; the newest by default");
  if (command.has_top) {
    sub->add_option("--top", options->top,
                    "Rows shown; 0: all. Default: " + std::to_string(options->top));
  }
  if (command.has_tree) {
    sub->add_option("--min-share", options->min_share,
                    "Ways with less than this percentage of the bytes are put together; 0: none. "
                    "Default: 1")
        ->check(CLI::Range(0.0, 100.0));
    sub->add_option("--depth", options->depth, "Levels shown. Default: 64");
  }
  sub->add_flag("--json", options->json, "Print JSON, with sizes in bytes");
  sub->callback([options, has_target, run = command.run, &exit_code] {
    // Either order is understood.
    if (has_target && Exists(options->target) && !Exists(options->paths.back())) {
      std::swap(options->target, options->paths.back());
    }
    exit_code = run(*options);
  });
  return sub;
}

}  // namespace hindsight::analyzer
