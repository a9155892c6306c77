// Validates JSON against one of our JSON Schemas.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hindsight {

// Supports the part of JSON Schema that our schemas use; anything else in them is an error here.
class JsonValidator {
 public:
  using Json = nlohmann::json;
  explicit JsonValidator(Json schema) : root_(std::move(schema)) {}

  // Places where `value` does not conform to the schema, each with its path.
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
      if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) {
        Fail(path, "keyword " + key);
      }
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

  const Json root_;
  std::vector<std::string> errors_;
};

}  // namespace hindsight
