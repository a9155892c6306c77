// `hindsight locks`: where threads wait for locks and for one another, how long, and who held what.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/waits/locks_report.h"

namespace hindsight::analyzer {
namespace {

struct LocksOptions {
  std::vector<std::string> paths;
  LocksTextOptions text;
  bool json = false;
};

ExitCode Run(LocksOptions options) {
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const LockReport report = AnalyzeLocks(**model);
  options.text.style = DetectTextStyle(STDOUT_FILENO);
  std::cout << (options.json ? LocksJson(report) : LocksText(report, options.text));
  return ExitCode::kOk;
}

}  // namespace

void RegisterLocks(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<LocksOptions>();
  CLI::App* command = app.add_subcommand(
      "locks", "Where threads wait for locks, how long, and who held them meanwhile");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_option("--top", options->text.top, "Places and locks to show; 0: all")
      ->capture_default_str();
  command->add_option("--frames", options->text.frames, "Frames of a stack to show; 0: all")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
