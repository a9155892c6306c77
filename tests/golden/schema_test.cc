// The JSON of all golden cases is what `hindsight schema COMMAND` says: every key that is printed
// is described, and every key that is promised is printed.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/json_validator.h"
#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// For "cpu.cpu.json" or "shop.leaks.json": the command that printed it; newer reports contain it
// themselves.
std::string CommandOf(const fs::path& file, const Json& json) {
  std::string command = json.value("command", "");
  if (command.empty()) {
    command = file.stem().string();
    command = command.substr(command.find('.') + 1);
  }
  return command.substr(0, command.find(' '));
}

TEST(Schema, GoldenReportsAreAsDescribed) {
  std::map<std::string, Json> schemas;
  std::map<std::string, int> checked;
  for (const auto& entry : fs::recursive_directory_iterator(HINDSIGHT_GOLDEN_FOLDER)) {
    if (entry.path().extension() != ".json") continue;
    const Json json = Json::parse(ReadFile(entry.path()));
    const std::string command = CommandOf(entry.path(), json);
    if (!schemas.contains(command)) {
      const RunResult schema = RunProgram({HINDSIGHT_BINARY, "schema", command});
      EXPECT_EQ(schema.exit_code, 0) << entry.path() << ": " << schema.err;
      if (schema.exit_code != 0) continue;
      schemas[command] = Json::parse(schema.out);
    }
    for (const std::string& error : JsonValidator(schemas[command]).Errors(json)) {
      ADD_FAILURE() << entry.path().filename() << " " << error;
    }
    ++checked[command];
  }
  EXPECT_GE(checked.size(), 15u);
}

// Answers that are in no golden file.
TEST(Schema, AnswersOfOtherCommandsAreAsDescribed) {
  const TempDir folder;
  RecordingBuilder builder;
  builder.AddText(ReadFile(fs::path(HINDSIGHT_GOLDEN_FOLDER) / "cases" / "cpu.textproto"));
  builder.WriteFolder(folder / "recording");
  const std::string recording = folder / "recording";
  const std::vector<std::vector<std::string>> commands = {
      {"check", "--list"},
      {"check", recording, "--list"},
      {"list", folder / "."},
      {"sql", recording, "SELECT name, os_id, started_ns, NULL, 0.5 FROM threads"},
      {"sql", recording, "SELECT * FROM findings WHERE 0"},
      {"sql", recording, "SELECT * FROM measures"},
  };
  for (std::vector<std::string> command : commands) {
    const RunResult schema = RunProgram({HINDSIGHT_BINARY, "schema", command.front()});
    ASSERT_EQ(schema.exit_code, 0) << schema.err;
    const Json described = Json::parse(schema.out);
    command.insert(command.begin(), HINDSIGHT_BINARY);
    command.emplace_back("--json");
    const RunResult result = RunProgram(command);
    ASSERT_EQ(result.exit_code, 0) << command.back() << result.err;
    for (const std::string& error : JsonValidator(described).Errors(Json::parse(result.out))) {
      ADD_FAILURE() << command[1] << " " << command[2] << ": " << error;
    }
  }
}

TEST(Schema, WhatIsNotAsDescribedIsFound) {
  const Json schema = Json::parse(R"({"type": "object", "properties": {
    "a": {"type": "integer"}, "b": {"type": ["string", "null"]}, "c": {"$ref": "#/$defs/c"}},
    "required": ["a"], "$defs": {"c": {"type": "array", "items": {"enum": ["x", "y"]}}}})");
  JsonValidator validator(schema);
  EXPECT_TRUE(validator.Errors(Json::parse(R"({"a": 1, "b": null, "c": ["x"]})")).empty());
  for (const char* wrong : {R"({"a": 1.5})", R"({"b": "x"})", R"({"a": 1, "b": 2})",
                            R"({"a": 1, "c": ["z"]})", R"({"a": 1, "d": 2})", "[]"}) {
    EXPECT_EQ(validator.Errors(Json::parse(wrong)).size(), 1u) << wrong;
  }
}

}  // namespace
}  // namespace hindsight::testing
