// `hindsight schema`: what another command's --json prints.
#include <iostream>
#include <memory>
#include <string>

#include "analyzer/commands/command.h"
#include "analyzer/report/json_schema.h"

namespace hindsight::analyzer {

void DescribeSchema(cli::Command& command) {
  const auto name = std::make_shared<std::string>();
  command.Argument("COMMAND", *name, "The command whose JSON is described").Choices(SchemaNames());
  command.Note(
      "Keys may be added; that one goes away or changes its meaning shows in the number that JSON "
      "has under the key schema.");
  command.Example("hindsight schema cpu", "the keys of hindsight cpu --json, as JSON Schema");
  command.SeeAlso({"hindsight sql", "hindsight export"});
  command.Runs([name] {
    std::cout << JsonSchemaOf(*name);
    return ExitCode::kOk;
  });
}

}  // namespace hindsight::analyzer
