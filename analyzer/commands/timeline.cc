// `hindsight timeline`: all signals on one time axis.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/timeline.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/timeline_report.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kJsonParts = 200;

struct TimelineOptions {
  std::vector<std::string> paths;
  TimeOptions times;
  bool json = false;
};

ExitCode Run(const TimelineOptions& options) {
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const TextStyle style = DetectTextStyle(kStandardOutput);
  const Timeline timeline =
      BuildTimeline(**model, {.from_ns = window->from_ns,
                              .to_ns = window->to_ns,
                              .parts = options.json ? kJsonParts : TimelineParts(style)});
  std::cout << (options.json ? TimelineJson(timeline) : TimelineText(timeline, style));
  return ExitCode::kOk;
}

}  // namespace

void DescribeTimeline(cli::Command& command) {
  const auto options = std::make_shared<TimelineOptions>();
  AddRecording(command, options->paths);
  AddTimes(command, options->times);
  AddJson(command, options->json);
  command.Example("hindsight timeline shop.hindsight", "one row per signal");
  command.Example("hindsight timeline shop.hindsight --from 20s --to 25s",
                  "five seconds in detail");
  command.SeeAlso({"hindsight cpu", "hindsight gc", "hindsight export"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
