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
  std::string error;  // for kError
};

// `arguments`: what follows the command's name. Options and arguments come in any order; `--name
// value` and `--name=value` are the same, as are `-o value` and `-ovalue`; everything after `--` is
// an argument. If an option is not repeatable, the last of several values counts.
ParseResult Parse(const Command& command, std::span<const std::string> arguments);

// The one of `names` of which `text` may be a misspelling; empty if none is similar.
std::string Nearest(std::string_view text, std::span<const std::string> names);

// `text` for display on a terminal, shortened if it is long.
std::string Quoted(std::string_view text);

}  // namespace hindsight::cli
