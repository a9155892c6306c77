#include "analyzer/cli/json_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace hindsight::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kCommon = "common";
constexpr std::string_view kReference = "#/$defs/";

std::string_view TextOf(std::string_view name) {
  const auto file = std::find_if(kSchemaFiles.begin(), kSchemaFiles.end(),
                                 [name](const SchemaFile& other) { return other.name == name; });
  return file == kSchemaFiles.end() ? std::string_view() : file->text;
}

// Names of the definitions that `schema` refers to, directly or through others.
void AddReferences(const Json& schema, const Json& common, std::set<std::string>& names) {
  if (schema.is_object() && schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(kReference.size());
    if (names.insert(name).second) AddReferences(common.at(name), common, names);
  }
  if (!schema.is_structured()) return;
  for (const Json& part : schema) AddReferences(part, common, names);
}

std::string EmbeddedSchema(std::string_view command) {
  const std::string_view text = TextOf(command);
  if (text.empty() || command == kCommon) return {};
  const std::string_view shared = TextOf(kCommon);
  const Json common = shared.empty() ? Json::object() : Json::parse(shared);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  schema.update(Json::parse(text));
  std::set<std::string> names;
  AddReferences(schema, common, names);
  for (const std::string& name : names) schema["$defs"][name] = common.at(name);
  return schema.dump(2) + "\n";
}

}  // namespace

Schemas EmbeddedSchemas() {
  Schemas schemas;
  for (const SchemaFile& file : kSchemaFiles) {
    if (file.name != kCommon) schemas.commands.emplace_back(file.name);
  }
  schemas.of = EmbeddedSchema;
  return schemas;
}

}  // namespace hindsight::cli
