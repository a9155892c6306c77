// The JSON of all golden cases is what `hindsight schema COMMAND` says: every key that is printed
// is described, and every key that is promised is printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/recording_builder.h"
#include "tests/support/run.h"

namespace hindsight::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// What of JSON Schema our schemas use; anything else in them is an error here.
class Validator {
 public:
  explicit Validator(const Json& schema) : root_(schema) {}

  // Places where `value` is not as `schema` says, each with its path.
  std::vector<std::string> Errors(const Json& value) {
    errors_.clear();
    Check(root_, value, "$");
    return errors_;
  }

 private:
  static std::string TypeOf(const Json& value) {
    if (value.is_number_integer()) return "integer";
    return value.type_name();
  }

  static bool Fits(const std::string& type, const Json& value) {
    return type == TypeOf(value) || (type == "number" && value.is_number());
  }

  void Fail(const std::string& path, const std::string& what) {
    if (errors_.size() < 20) errors_.push_back(path + ": " + what);
  }

  void Check(const Json& schema, const Json& value, const std::string& path) {
    for (const auto& [key, unused] : schema.items()) {
      static const std::vector<std::string> kKnown = {
          "$schema", "$defs", "$ref",       "title",    "description",          "type", "enum",
          "const",   "anyOf", "properties", "required", "additionalProperties", "items"};
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end())
        Fail(path, "keyword " + key);
    }
    if (schema.contains("$ref")) {
      return Check(root_.at(Json::json_pointer(schema["$ref"].get<std::string>().substr(1))), value,
                   path);
    }
    if (schema.contains("anyOf")) return CheckAny(schema["anyOf"], value, path);
    if (schema.contains("const") && schema["const"] != value) Fail(path, value.dump());
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      Fail(path, value.dump() + " is not in the list");
    }
    if (schema.contains("type")) CheckType(schema["type"], value, path);
    if (value.is_object()) CheckObject(schema, value, path);
    if (value.is_array() && schema.contains("items")) {
      for (const Json& item : value) Check(schema["items"], item, path + "[]");
    }
  }

  void CheckAny(const Json& schemas, const Json& value, const std::string& path) {
    for (const Json& schema : schemas) {
      const size_t before = errors_.size();
      Check(schema, value, path);
      if (errors_.size() == before) return;
      errors_.resize(before);
    }
    Fail(path, "none of the alternatives");
  }

  void CheckType(const Json& types, const Json& value, const std::string& path) {
    bool fits = types.is_string() && Fits(types.get<std::string>(), value);
    if (types.is_array()) {
      fits = std::any_of(types.begin(), types.end(),
                         [&](const Json& type) { return Fits(type.get<std::string>(), value); });
    }
    if (!fits) Fail(path, TypeOf(value) + " is not " + types.dump());
  }

  void CheckObject(const Json& schema, const Json& value, const std::string& path) {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) Fail(path, "no " + key.dump());
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, part] : value.items()) {
      const std::string place = path + "." + key;
      if (properties.contains(key)) {
        Check(properties[key], part, place);
      } else if (schema.contains("additionalProperties")) {
        Check(schema["additionalProperties"], part, place);
      } else {
        Fail(place, "is not described");
      }
    }
  }

  const Json& root_;
  std::vector<std::string> errors_;
};

// Of "cpu.cpu.json" or "shop.leaks.json": the command that printed it; newer reports say it
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
    for (const std::string& error : Validator(schemas[command]).Errors(json)) {
      ADD_FAILURE() << entry.path().filename() << " " << error;
    }
    ++checked[command];
  }
  EXPECT_GE(checked.size(), 15u);
}

// What no golden file has.
TEST(Schema, AnswersOfOtherCommandsAreAsDescribed) {
  const TempDir folder;
  RecordingBuilder builder;
  builder.AddText(ReadFile(fs::path(HINDSIGHT_GOLDEN_FOLDER) / "cases" / "cpu.textproto"));
  builder.WriteFolder(folder / "recording");
  const std::string recording = folder / "recording";
  const std::vector<std::vector<std::string>> commands = {
      {"check", "--list"},
      {"check", recording, "--list"},
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
    for (const std::string& error : Validator(described).Errors(Json::parse(result.out))) {
      ADD_FAILURE() << command[1] << " " << command[2] << ": " << error;
    }
  }
}

TEST(Schema, WhatIsNotAsDescribedIsFound) {
  const Json schema = Json::parse(R"({"type": "object", "properties": {
    "a": {"type": "integer"}, "b": {"type": ["string", "null"]}, "c": {"$ref": "#/$defs/c"}},
    "required": ["a"], "$defs": {"c": {"type": "array", "items": {"enum": ["x", "y"]}}}})");
  Validator validator(schema);
  EXPECT_TRUE(validator.Errors(Json::parse(R"({"a": 1, "b": null, "c": ["x"]})")).empty());
  for (const char* wrong : {R"({"a": 1.5})", R"({"b": "x"})", R"({"a": 1, "b": 2})",
                            R"({"a": 1, "c": ["z"]})", R"({"a": 1, "d": 2})", "[]"}) {
    EXPECT_EQ(validator.Errors(Json::parse(wrong)).size(), 1u) << wrong;
  }
}

}  // namespace
}  // namespace hindsight::testing
