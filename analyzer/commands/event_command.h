// Commands on a recording's events over time, and what their command lines have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// As those in command.h.
void RegisterAllocations(CLI::App& app, ExitCode& exit_code);
void RegisterGc(CLI::App& app, ExitCode& exit_code);
void RegisterTimeline(CLI::App& app, ExitCode& exit_code);

struct EventCommand {
  std::vector<std::string> paths;
  size_t top = 10;
  bool json = false;
  std::string from, to;  // as given; empty: no limit
};

// Nanoseconds from the recording's start.
struct TimeWindow {
  int64_t from_ns = INT64_MIN, to_ns = INT64_MAX;
};

// Adds the subcommand with the recording's paths and --json. `options` outlives the parsing.
CLI::App* AddEventCommand(CLI::App& app, const std::string& name, const std::string& description,
                          EventCommand& options);

// Adds --top; `what`: what it counts.
void AddTop(CLI::App& command, const std::string& what, EventCommand& options);

// Adds --from and --to.
void AddTimeWindow(CLI::App& command, EventCommand& options);

// An error where --to is not after --from.
Result<TimeWindow> WindowOf(const EventCommand& options);

}  // namespace hindsight::analyzer
