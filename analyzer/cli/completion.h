// Shell completion scripts: commands, options, choices, files.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/program.h"

namespace hindsight::cli {

// For bash 4.4 and later; needs only bash itself.
std::string BashCompletion(const Program& program);
// For zsh's completion system: a file that is autoloaded, or sourced after compinit.
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

// What is offered in place of an option's value, or of an argument.
std::string FunctionName(const Program& program);  // _hindsight_trigger
std::vector<std::string> CommandNames(const Program& program);
// The argument of `command` for which a shell can offer something; nullptr if there is none.
const Option* OfferedArgument(const Command& command);
std::string Joined(const std::vector<std::string>& words);  // separated by blanks
// `text` in single quotes; `quote` replaces those inside: '\'' in sh, \' in fish.
std::string ShellQuoted(const std::string& text, const std::string& quote = "'\\''");
// Prints one process id per line, from the trigger's own list.
inline constexpr char kProcessIds[] =
    "hindsight-trigger list 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $1}'";

}  // namespace hindsight::cli
