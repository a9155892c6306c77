// The command `schema`: prints the JSON Schema of a command's `--json`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/command.h"

namespace hindsight::cli {

struct Schemas {
  std::vector<std::string> commands;  // that have one, ordered by name
  // Self-contained, indented, with a final newline.
  std::function<std::string(std::string_view command)> of;
};

// `example` is a command of `program`.
void DescribeSchema(Command& command, const std::string& program, const std::string& example,
                    const Schemas& schemas);

}  // namespace hindsight::cli
