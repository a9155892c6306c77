// The commands: each adds itself to the program and, when it is chosen, leaves its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "trigger/exit_code.h"

namespace hindsight::trigger {

void AddAttach(CLI::App& program, ExitCode& result);
void AddStop(CLI::App& program, ExitCode& result);
void AddSnapshot(CLI::App& program, ExitCode& result);
void AddStatus(CLI::App& program, ExitCode& result);
void AddList(CLI::App& program, ExitCode& result);
void AddSources(CLI::App& program, ExitCode& result);
void AddExitCodes(CLI::App& program, ExitCode& result);
// `command` is what stood behind `--`; it outlives the program.
void AddLaunch(CLI::App& program, const std::vector<std::string>& command, ExitCode& result);

}  // namespace hindsight::trigger
