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

// Commands by what one wants to know.
struct Group {
  std::string title;
  std::vector<const Command*> commands;
};

// A term and what it means: a file, a variable of the environment, an exit code or a range of them.
struct Term {
  std::string term, meaning;
};

struct Program {
  std::string name;     // hindsight
  std::string summary;  // what it is for: a sentence without its full stop
  std::string version;  // 0.1.0
  std::string commit;   // that it was built from; empty: unknown
  std::vector<Example> first_steps;
  std::vector<Term> files, exit_codes, environment;
  std::vector<std::string> see_also;  // other programs
  int usage_exit_code = 64;           // EX_USAGE of sysexits

  // What runs where the command line begins with a file instead of a command, and where it is empty
  // and `has_input` finds something for the command to work on. Empty: nothing does.
  std::string default_command;
  std::function<bool(const std::string& argument)> is_input;
  std::function<bool()> has_input;

  std::vector<Group> groups;
  std::deque<Command> commands;  // of all groups

  // Adds a command to the group `title`, which is made if it is new. References stay valid.
  Command& Add(std::string_view title, std::string name, std::string summary);
  const Command* Find(std::string_view name) const;
};

// What every program has besides its own: help, completion and man, in a group of their own.
// `program` outlives its commands and does not move.
void AddCommonCommands(Program& program);

// Parses `arguments` (argv without its first), runs what they say and returns the exit code. Help
// goes to stdout; what is wrong with the command line, to stderr.
int Run(const Program& program, std::span<const std::string> arguments);

}  // namespace hindsight::cli
