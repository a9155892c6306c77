#include "analyzer/commands/event_command.h"

#include "analyzer/commands/time_option.h"

namespace hindsight::analyzer {
namespace {

std::string CheckTime(const std::string& text) {
  return ParseTime(text) ? std::string()
                         : "'" + text + "' is not a time from the start: 500ms, 10s or 1m30s";
}

}  // namespace

CLI::App* AddEventCommand(CLI::App& app, const std::string& name, const std::string& description,
                          EventCommand& options) {
  CLI::App* const command = app.add_subcommand(name, description);
  command->add_option("recording", options.paths, "Folder or files of one recording")->required();
  command->add_flag("--json", options.json, "Print JSON, with times in nanoseconds");
  return command;
}

void AddTop(CLI::App& command, const std::string& what, EventCommand& options) {
  command.add_option("--top", options.top, what + " to show; 0: all")->capture_default_str();
}

void AddTimeWindow(CLI::App& command, EventCommand& options) {
  command.add_option("--from", options.from, "Only from this time after the start on, as 10s")
      ->check(CheckTime);
  command.add_option("--to", options.to, "Only before this time after the start, as 1m30s")
      ->check(CheckTime);
}

Result<TimeWindow> WindowOf(const EventCommand& options) {
  TimeWindow window;
  if (!options.from.empty()) window.from_ns = *ParseTime(options.from);
  if (!options.to.empty()) window.to_ns = *ParseTime(options.to);
  if (window.to_ns <= window.from_ns) {
    return Error{"--to " + options.to + " is not after --from " + options.from + ".",
                 ExitCode::kUsage};
  }
  return window;
}

}  // namespace hindsight::analyzer
