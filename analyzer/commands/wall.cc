// `hindsight wall`: what threads did with all of their time, and where they waited.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/analyses/waits/wall_time.h"
#include "analyzer/base/console.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/commands/options.h"
#include "analyzer/report/waits/wall_report.h"

namespace hindsight::analyzer {
namespace {

struct WallOptions {
  std::vector<std::string> paths;
  TimeOptions times;
  WallTextOptions text;
  bool timeline = false;
  bool json = false;
};

// For JSON, which has no width.
constexpr uint32_t kJsonLaneParts = 240;

ExitCode Run(WallOptions options) {
  const Result<TimeWindow> window = WindowOf(options.times);
  if (!window) return Fail(window.error());
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  options.text.style = DetectTextStyle(kStandardOutput);
  WallQuery query = {.from_ns = window->from_ns, .to_ns = window->to_ns};
  if (options.timeline) {
    query.lane_parts = options.json ? kJsonLaneParts : WallLaneParts(options.text.style);
  }
  const WallReport report = AnalyzeWallTime(**model, query);
  std::cout << (options.json ? WallJson(report) : WallText(report, options.text));
  return ExitCode::kOk;
}

}  // namespace

void DescribeWall(cli::Command& command) {
  const auto options = std::make_shared<WallOptions>();
  AddRecording(command, options->paths);
  AddTop(command, options->text.top, "Places and threads");
  command.Flag("--timeline", options->timeline,
               "Show what each thread did over time, and its longest waits");
  AddTimes(command, options->times);
  command.Flag("--stacks", options->text.stacks, "Show the stack of each place");
  AddFrames(command, options->text.frames);
  AddJson(command, options->json);
  command.Note(
      "Waits reported by events (locks, and with .NET 9 and later wait handles and pulses) count "
      "exactly. Of the rest, the kernel counts between two thread snapshots how long a thread ran, "
      "or waited for a processor. What it waited for otherwise is what its stacks in them show: "
      "proved where it did not run in between, else an estimate that more snapshots make better "
      "(`waits.every=1s`). The rest is unknown.");
  command.Example("hindsight wall shop.hindsight", "what all threads did, and where they waited");
  command.Example("hindsight wall shop.hindsight --stacks", "with the stacks of these places");
  command.Example("hindsight wall shop.hindsight --timeline --from 2s --to 4s",
                  "what each thread did in these two seconds, in which lock, and who held it");
  command.SeeAlso({"hindsight cpu", "hindsight locks", "hindsight threads"});
  command.Runs([options] { return Run(*options); });
}

}  // namespace hindsight::analyzer
