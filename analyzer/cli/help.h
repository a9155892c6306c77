// Help text for a terminal.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/cli/program.h"

namespace hindsight::cli {

struct HelpStyle {
  size_t columns = 100;
  bool bold = false;  // headings
};

// For `descriptor`.
HelpStyle DetectHelpStyle(int descriptor);

// For the program: commands by group, exit codes, and what else there is.
std::string ProgramHelp(const Program& program, const HelpStyle& style);
// What to type first, and the names of all commands.
std::string ShortHelp(const Program& program, const HelpStyle& style);
std::string CommandHelp(const Program& program, const Command& command, const HelpStyle& style);

// "hindsight cpu [OPTIONS] RECORDING..."
std::string UsageLine(const Program& program, const Command& command);
// "--top N", "-o, --output FILE", "RECORDING..."
std::string OptionTerm(const Option& option);
// The help with choices and default: "Only this heap: small, large or pinned; default: all".
std::string OptionHelp(const Option& option);

}  // namespace hindsight::cli
