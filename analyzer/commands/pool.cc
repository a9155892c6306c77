// `hindsight pool`: whether the thread pool starves, and where its workers block.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/pool_health.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
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
  options.text.style = DetectTextStyle(kStandardOutput);
  std::cout << (options.json ? PoolJson(report) : PoolText(report, options.text));
  return ExitCode::kOk;
}

}  // namespace

void DescribePool(cli::Command& command) {
  const auto options = std::make_shared<PoolOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Places");
  AddFrames(command, options->text.frames);
  AddJson(command, options->json);
  command.Example("hindsight pool shop.hindsight", "whether work waits for threads, and why");
  command.SeeAlso({"hindsight threads", "hindsight tasks", "hindsight locks"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
