// JSON Schema of `--json` output: one file per command, in a folder of each program that
// hindsight_embed_schemas embeds. What several have in common stands in common.json, and goes into
// each that refers to it.
#pragma once

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

// Commands that have one, by name.
std::vector<std::string> SchemaNames();

// Complete in itself, indented, with a final newline; empty if there is none.
std::string JsonSchemaOf(std::string_view command);

// The command `schema` of `program`, which prints it; `of` is the command in the example.
void DescribeSchema(Command& command, const std::string& program, const std::string& of);

}  // namespace hindsight::cli
