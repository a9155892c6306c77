// Manual pages, in the macros of man(7), from the same description as the help.
#pragma once

#include <string>

#include "analyzer/cli/program.h"

namespace hindsight::cli {

std::string ProgramManPage(const Program& program);                          // hindsight(1)
std::string CommandManPage(const Program& program, const Command& command);  // hindsight-cpu(1)

}  // namespace hindsight::cli
