// `hindsight pool`: whether the thread pool starves, and where its workers block.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/waits/pool_report.h"

namespace hindsight::analyzer {
namespace {

struct PoolOptions {
  std::vector<std::string> paths;
  PoolTextOptions text;
  bool json = false;
};

ExitCode Run(PoolOptions options) {
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const PoolReport report = AnalyzePool(**model);
  options.text.style = DetectTextStyle(STDOUT_FILENO);
  std::cout << (options.json ? PoolJson(report) : PoolText(report, options.text));
  return ExitCode::kOk;
}

}  // namespace

void RegisterPool(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<PoolOptions>();
  CLI::App* command =
      app.add_subcommand("pool", "Whether the thread pool starves, and where its workers block");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--top", options->text.top, "Places to show; 0: all")->capture_default_str();
  command->add_option("--frames", options->text.frames, "Frames of a stack to show; 0: all")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
