// Shell completion scripts: commands, options, choices, files.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cli/program.h"

namespace hindsight::cli {

// For bash 4.4 and later; needs nothing but bash itself.
std::string BashCompletion(const Program& program);
// For zsh's completion system: a file that is autoloaded, or sourced after compinit.
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

// What is offered where an option's value, or an argument, stands.
std::string FunctionName(const Program& program);  // _hindsight_trigger
std::vector<std::string> CommandNames(const Program& program);
// The argument of `command` that a shell can offer something for; nullptr if there is none.
const Option* OfferedArgument(const Command& command);
std::string Joined(const std::vector<std::string>& words);  // with blanks between them
// `text` in single quotes, in which `quote` stands for one: '\'' in sh, \' in fish.
std::string ShellQuoted(const std::string& text, const std::string& quote = "'\\''");
// Prints a process id a line; the trigger's own list.
inline constexpr char kProcessIds[] =
    "hindsight-trigger list 2>/dev/null | awk '$1 ~ /^[0-9]+$/ {print $1}'";

}  // namespace hindsight::cli
