// Parses arguments into a command's variables, with CLI11 and our own error messages. An error is
// one sentence: what is wrong, and what to do.
#pragma once

#include <span>
#include <string>

#include "analyzer/cli/command.h"

namespace hindsight::cli {

enum class Parsed : uint8_t { kCommand, kHelp, kError };

struct ParseResult {
  Parsed what = Parsed::kCommand;
  std::string error;  // of kError
};

// `arguments`: what stands behind the command's name. Options and arguments come in any order;
// `--name value` and `--name=value` are the same, as are `-o value` and `-ovalue`; behind `--` all
// are arguments. The last of several values of an option that is not repeatable is taken.
ParseResult Parse(const Command& command, std::span<const std::string> arguments);

// The name of `names` that `text` may be a misspelling of; empty if none is near.
std::string Nearest(std::string_view text, std::span<const std::string> names);

// `text` as it can be shown on a terminal, cut if it is long.
std::string Quoted(std::string_view text);

}  // namespace hindsight::cli
