// Commands on all that a recording holds, one signal beside the other.
#pragma once

#include <CLI/CLI.hpp>

#include "analyzer/base/result.h"

namespace hindsight::analyzer {

// As those in command.h.
void RegisterSummary(CLI::App& app, ExitCode& exit_code);

}  // namespace hindsight::analyzer
