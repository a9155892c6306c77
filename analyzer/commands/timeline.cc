// `hindsight timeline`: all signals on one axis of time.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "analyzer/analyses/timeline.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/event_command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/timeline_report.h"

namespace hindsight::analyzer {
namespace {

constexpr uint32_t kJsonParts = 200;

ExitCode Run(const EventCommand& options) {
  const Result<TimeWindow> window = WindowOf(options);
  if (!window) return Fail(window.error());
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const TextStyle style = DetectTextStyle(STDOUT_FILENO);
  const Timeline timeline =
      BuildTimeline(**model, {.from_ns = window->from_ns,
                              .to_ns = window->to_ns,
                              .parts = options.json ? kJsonParts : TimelineParts(style)});
  std::cout << (options.json ? TimelineJson(timeline) : TimelineText(timeline, style));
  return ExitCode::kOk;
}

}  // namespace

void RegisterTimeline(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<EventCommand>();
  CLI::App* const command = AddEventCommand(
      app, "timeline", "All signals on one axis of time, and the moments worth a look", *options);
  AddTimeWindow(*command, *options);
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
