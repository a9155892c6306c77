// JSON Schema of `--json` output: one file per command, in a folder of each program that
// hindsight_embed_schemas embeds. What several have in common stands in common.json, if there is
// one, and goes into each that refers to it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/cli/command.h"

namespace hindsight::cli {

struct SchemaFile {
  std::string_view name;  // of the command; "common"
  std::string_view text;
};
extern const std::span<const SchemaFile> kSchemaFiles;  // of the program, by name

// What `schema` prints of each command that has JSON.
struct Schemas {
  std::vector<std::string> commands;  // by name
  // Complete in itself, indented, with a final newline; empty if there is none.
  std::function<std::string(std::string_view command)> of;
};
Schemas EmbeddedSchemas();

// The command `schema` of `program`, which prints them; `example` is a command.
void DescribeSchema(Command& command, const std::string& program, const std::string& example,
                    const Schemas& schemas);

}  // namespace hindsight::cli
