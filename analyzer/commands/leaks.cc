// `hindsight leaks`: what piles up in a heap, and which of it looks like a leak.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/heap/leaks.h"
#include "analyzer/commands/heap_command.h"
#include "analyzer/report/heap/leaks_report.h"

namespace hindsight::analyzer {
namespace {

struct LeaksOptions {
  std::vector<std::string> paths;
  std::optional<uint32_t> snapshot;
  LeakRules rules;
  double min_share = 5;  // per cent
  bool json = false;
};

ExitCode Run(const LeaksOptions& options) {
  const Result<Heap> heap = LoadHeap(options.paths, options.snapshot, HeapNeeds::kBoth);
  if (!heap) return Fail(heap.error());
  const HeapModel& model = *heap->model;
  const DominatorTree tree(*heap->dominators);
  const SlotNames names(model);
  LeakRules rules = options.rules;
  rules.min_share = options.min_share / 100;
  const LeakReport report =
      AnalyzeLeaks(model, names, *heap->paths, *heap->dominators, tree, rules);
  std::cout << (options.json ? LeaksJson(model, names, report)
                             : LeaksText(model, names, report, StdoutStyle()));
  return ExitCode::kOk;
}

}  // namespace

void RegisterLeaks(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<LeaksOptions>();
  CLI::App* command = app.add_subcommand(
      "leaks", "What piles up in a heap snapshot and looks like a leak, and what holds it");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--snapshot", options->snapshot, "Its number. Default: the newest");
  command
      ->add_option("--min-count", options->rules.min_count, "Objects that a suspect has at least")
      ->check(CLI::Range(uint64_t{2}, uint64_t{1} << 40))
      ->capture_default_str();
  command
      ->add_option("--min-bytes", options->rules.min_bytes,
                   "Bytes that a collection or cache retains at least")
      ->capture_default_str();
  command
      ->add_option("--min-share", options->min_share,
                   "Per cent of the heap that a collection or cache retains at least")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with sizes in bytes");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
