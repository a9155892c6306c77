// `hindsight threads`: which threads there were, how long, what they threw, and how they ended.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyses/threads.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/commands/time_option.h"
#include "analyzer/report/threads_report.h"

namespace hindsight::analyzer {
namespace {

struct ThreadsOptions {
  std::vector<std::string> paths;
  std::string unchanged_for = "1m";
  ThreadStacksTextOptions text;
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
                             : ThreadsText(report, options.text, DetectTextStyle(kStandardOutput)));
  return ExitCode::kOk;
}

}  // namespace

void DescribeThreads(cli::Command& command) {
  const auto options = std::make_shared<ThreadsOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Places");
  AddFrames(command, options->text.frames);
  command
      .Value("--unchanged-for", "TIME", options->unchanged_for,
             "A thread counts as stuck after not running for this long")
      .Verify(CheckTime);
  AddJson(command, options->json);
  command.Example("hindsight threads shop.hindsight",
                  "current stacks, and which threads are stuck");
  command.Example("hindsight threads shop.hindsight --unchanged-for 5m --frames 0",
                  "stuck means five minutes without running; full stacks");
  command.SeeAlso({"hindsight deadlocks", "hindsight locks"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
