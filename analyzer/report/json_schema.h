// What `--json` prints, as JSON Schema: a file a command in report/schema. What several have in
// common stands in common.json, and goes into each that refers to it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight::analyzer {

struct SchemaFile {
  std::string_view name;  // of the command; "common"
  std::string_view text;
};
extern const std::span<const SchemaFile> kSchemaFiles;  // by name

// Commands that have one, by name.
std::vector<std::string> SchemaNames();

// Complete in itself, indented, with a final newline; empty if there is none.
std::string JsonSchemaOf(std::string_view command);

}  // namespace hindsight::analyzer
