// `hindsight gc`: what the garbage collector cost, why it ran, and what to do about it.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/gc/gc_report.h"

namespace hindsight::analyzer {
namespace {

struct GcOptions {
  std::vector<std::string> paths;
  TimeOptions times;
  size_t top = 10;
  bool json = false;
};

ExitCode Run(const GcOptions& options) {
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const GcReport report = AnalyzeGc(**model, {.from_ns = window->from_ns, .to_ns = window->to_ns});
  std::cout << (options.json ? GcJson(report)
                             : GcText(report, {.style = DetectTextStyle(kStandardOutput),
                                               .top = options.top}));
  return ExitCode::kOk;
}

}  // namespace

void DescribeGc(cli::Command& command) {
  const auto options = std::make_shared<GcOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->top, "Pauses and reasons");
  AddTimes(command, options->times);
  AddJson(command, options->json);
  command.Example("hindsight gc shop.hindsight", "the longest pauses, and their reasons");
  command.Example("hindsight gc shop.hindsight --from 1m --to 90s", "half a minute only");
  command.SeeAlso({"hindsight allocations", "hindsight generations", "hindsight timeline"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
