// `hindsight threads`: which threads there were, how long, what they threw, and how they ended.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/threads.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/command.h"
#include "analyzer/reader/model_builder.h"
#include "analyzer/reader/recording_reader.h"
#include "analyzer/report/threads_report.h"

namespace hindsight::analyzer {
namespace {

struct ThreadsOptions {
  std::vector<std::string> paths;
  bool json = false;
};

ExitCode Run(const ThreadsOptions& options) {
  Progress progress("reading");
  Result<Recording> recording = Recording::Open(options.paths, &progress);
  if (!recording) return Fail(recording.error());
  const Result<std::unique_ptr<Model>> model = BuildModel(*recording, {}, &progress);
  if (!model) return Fail(model.error());
  progress.Finish();
  const ThreadReport report = AnalyzeThreads(**model);
  std::cout << (options.json ? ThreadsJson(report)
                             : ThreadsText(report, DetectTextStyle(STDOUT_FILENO)));
  return ExitCode::kOk;
}

}  // namespace

void RegisterThreads(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<ThreadsOptions>();
  CLI::App* command = app.add_subcommand(
      "threads", "Which threads there were: names, lifetimes, exceptions, how they ended");
  command->add_option("recording", options->paths, "Folder or files of one recording")->required();
  command->add_flag("--json", options->json, "Print JSON, with times in nanoseconds");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
