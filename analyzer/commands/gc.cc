// `hindsight gc`: what the garbage collector cost, why it ran, and what to do about it.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "analyzer/analyses/gc/gc.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/event_command.h"
#include "analyzer/commands/load_model.h"
#include "analyzer/report/gc/gc_report.h"

namespace hindsight::analyzer {
namespace {

ExitCode Run(const EventCommand& options) {
  const Result<TimeWindow> window = WindowOf(options);
  if (!window) return Fail(window.error());
  const Result<std::unique_ptr<Model>> model = LoadModel(options.paths);
  if (!model) return Fail(model.error());
  const GcReport report = AnalyzeGc(**model, {.from_ns = window->from_ns, .to_ns = window->to_ns});
  std::cout << (options.json ? GcJson(report)
                             : GcText(report, {.style = DetectTextStyle(STDOUT_FILENO),
                                               .top = options.top}));
  return ExitCode::kOk;
}

}  // namespace

void RegisterGc(CLI::App& app, ExitCode& exit_code) {
  auto options = std::make_shared<EventCommand>();
  CLI::App* const command = AddEventCommand(
      app, "gc", "Pauses and garbage collections: how long, why, what they left, and what to do",
      *options);
  AddTop(*command, "Pauses and reasons", *options);
  AddTimeWindow(*command, *options);
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace hindsight::analyzer
