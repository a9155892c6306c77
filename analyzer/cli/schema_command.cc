#include <cstdio>
#include <memory>
#include <string>

#include "analyzer/cli/json_schema.h"

namespace hindsight::cli {

void DescribeSchema(Command& command, const std::string& program, const std::string& of) {
  const auto name = std::make_shared<std::string>();
  command.Argument("COMMAND", *name, "The command whose JSON is described").Choices(SchemaNames());
  command.Note(
      "Keys may be added. Where JSON has a number under the key schema, it is raised when a key "
      "goes "
      "away or changes its meaning.");
  command.Example(program + " schema " + of,
                  "the keys of " + program + " " + of + " --json, as JSON Schema");
  command.Runs([name] {
    std::fputs(JsonSchemaOf(*name).c_str(), stdout);
    return 0;
  });
}

}  // namespace hindsight::cli
