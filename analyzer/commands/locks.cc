// `hindsight locks`: where threads wait for locks and for each other, how long, and who held what.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/lock_contention.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
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
  options.text.style = DetectTextStyle(kStandardOutput);
  std::cout << (options.json ? LocksJson(report) : LocksText(report, options.text));
  return ExitCode::kOk;
}

}  // namespace

void DescribeLocks(cli::Command& command) {
  const auto options = std::make_shared<LocksOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Places and locks");
  AddFrames(command, options->text.frames);
  AddJson(command, options->json);
  command.Example("hindsight locks shop.hindsight", "the most expensive locks, and who held them");
  command.SeeAlso({"hindsight threads", "hindsight deadlocks", "hindsight pool"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
