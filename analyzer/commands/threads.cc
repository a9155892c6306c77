// `hindsight threads`: which threads there were, how long, what they threw, and how they ended.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/threads.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/time_option.h"
#include "analyzer/report/threads_report.h"

namespace hindsight::analyzer {
namespace {

struct ThreadsOptions {
  std::vector<std::string> paths;
  std::string unchanged_for = "1m";
  StandingsTextOptions text;
  bool json = false;
};

ExitCode Run(const ThreadsOptions& options) {
  const std::optional<int64_t> unchanged_ns = ParseTime(options.unchanged_for);
  if (!unchanged_ns || *unchanged_ns < 0) {
    return Fail({"--unchanged-for takes a time, such as 30s or 5m.", ExitCode::kUsage});
  }
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const ThreadReport report =
      AnalyzeThreads(**model, {.unchanged_ns = static_cast<uint64_t>(*unchanged_ns)});
  std::cout << (options.json ? ThreadsJson(report)
                             : ThreadsText(report, options.text, DetectTextStyle(STDOUT_FILENO)));
  return ExitCode::kOk;
}

}  // namespace

void RegisterThreads(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<ThreadsOptions>();
  CLI::App* command = app.add_subcommand(
      "threads", "Which threads there were, where they stand, and which will never go on");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command
      ->add_option("--unchanged-for", options->unchanged_for,
                   "Threads that have not run for so long are taken for stuck")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--top", options->text.top, "Places to show; 0: all of them, and all threads")
      ->capture_default_str();
  command->add_option("--frames", options->text.frames, "Frames of a stack to show; 0: all")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
