// A program made of commands: the source of its help, manual pages and completion.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/command.h"

namespace hindsight::cli {

// Commands by purpose.
struct Group {
  std::string title;
  std::vector<const Command*> commands;
};

// A term and what it means: a file, an environment variable, an exit code or a range of them.
struct Term {
  std::string term, meaning;
};

struct Program {
  std::string name;     // hindsight
  std::string summary;  // its purpose: a sentence without its full stop
  std::string version;  // 0.1.0
  std::string commit;   // from which it was built; empty: unknown
  std::vector<Example> first_steps;
  std::vector<Term> files, exit_codes, environment;
  std::vector<std::string> see_also;  // other programs
  int usage_exit_code = 64;           // EX_USAGE of sysexits

  // The command that runs if the command line begins with a file instead of a command, or if it is
  // empty and `has_input` finds something for the command to work on. Empty: none.
  std::string default_command;
  std::function<bool(const std::string& argument)> is_input;
  std::function<bool()> has_input;

  std::vector<Group> groups;
  std::deque<Command> commands;  // of all groups

  // Adds a command to the group `title`, which is created if necessary. References stay valid.
  Command& Add(std::string_view title, std::string name, std::string summary);
  const Command* Find(std::string_view name) const;
};

// Commands that every program has: help, completion and man, in a separate group. `program` must
// outlive its commands and must not move.
void AddCommonCommands(Program& program);

// Parses `arguments` (argv without its first), runs the command and returns its exit code. Help
// goes to stdout, errors in the command line to stderr.
int Run(const Program& program, std::span<const std::string> arguments);

}  // namespace hindsight::cli
