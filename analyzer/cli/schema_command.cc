#include "analyzer/cli/schema_command.h"

#include <cstdio>
#include <memory>
#include <string>

namespace hindsight::cli {

void DescribeSchema(Command& command, const std::string& program, const std::string& example,
                    const Schemas& schemas) {
  const auto name = std::make_shared<std::string>();
  command.Argument("COMMAND", *name, "The command").Choices(schemas.commands);
  command.Note(
      "New keys may appear at any time. Where the JSON has a number under the key `schema`, it is "
      "increased when a key is removed or changes its meaning.");
  command.Example(program + " schema " + example,
                  "the schema of " + program + " " + example + " --json");
  command.Runs([name, of = schemas.of] {
    std::fputs(of(*name).c_str(), stdout);
    return 0;
  });
}

}  // namespace hindsight::cli
