#include "analyzer/fields/json_schema.h"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace hindsight::analyzer {
namespace {

using OrderedJson = nlohmann::ordered_json;

class SchemaMaker {
 public:
  OrderedJson Object(const ObjectShape& object);
  OrderedJson Values(const Shape& shape);

  // Named objects that were referred to.
  const std::map<std::string, OrderedJson>& definitions() const { return definitions_; }

 private:
  OrderedJson Reference(const ObjectShape& object);

  std::map<std::string, OrderedJson> definitions_;
};

OrderedJson SchemaMaker::Object(const ObjectShape& object) {
  OrderedJson properties = OrderedJson::object(), required = OrderedJson::array();
  for (const FieldShape& field : object.fields) {
    OrderedJson values = OrderedJson::object();
    if (!field.meaning.empty()) values["description"] = field.meaning;
    values.update(Values(field.shape));
    properties[field.name] = std::move(values);
    if (!field.shape.is_optional) required.push_back(field.name);
  }
  OrderedJson out = OrderedJson::object();
  if (!object.meaning.empty()) out["description"] = object.meaning;
  out["type"] = "object";
  out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

OrderedJson SchemaMaker::Reference(const ObjectShape& object) {
  const std::string name(object.name);
  if (!definitions_.contains(name)) definitions_[name] = Object(object);
  return {{"$ref", "#/$defs/" + name}};
}

OrderedJson SchemaMaker::Values(const Shape& shape) {
  OrderedJson out = OrderedJson::object();
  std::string_view type;
  switch (shape.type) {
    case Shape::Type::kBoolean:
      type = "boolean";
      break;
    case Shape::Type::kInteger:
      type = "integer";
      break;
    case Shape::Type::kNumber:
      type = "number";
      break;
    case Shape::Type::kText:
      if (shape.texts.size() == 1) return {{"const", shape.texts.front()}};
      type = "string";
      break;
    case Shape::Type::kAny:
      return {{"type", {"string", "integer", "number", "null"}}};
    case Shape::Type::kObject:
      if (!shape.object->name.empty()) {
        out = Reference(*shape.object);
        if (shape.is_nullable) out = {{"anyOf", {std::move(out), {{"type", "null"}}}}};
        return out;
      }
      type = "object";
      out = Object(*shape.object);
      break;
    case Shape::Type::kList:
      type = "array";
      break;
    case Shape::Type::kMap:
      type = "object";
      break;
  }
  if (shape.is_nullable) {
    out["type"] = {type, "null"};
  } else {
    out["type"] = type;
  }
  if (shape.type == Shape::Type::kList) out["items"] = Values(*shape.element);
  if (shape.type == Shape::Type::kMap) out["additionalProperties"] = Values(*shape.element);
  if (!shape.texts.empty()) {
    OrderedJson texts(shape.texts);
    if (shape.is_nullable) texts.push_back(nullptr);
    out["enum"] = std::move(texts);
  }
  return out;
}

}  // namespace

std::string JsonSchema(std::string_view title, std::string_view description,
                       std::span<const SharedShape> forms, bool is_list) {
  SchemaMaker maker;
  OrderedJson schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", title},
                        {"description", description}};
  if (is_list) {
    schema["type"] = "array";
    schema["items"] = maker.Object(*forms.front());
  } else if (forms.size() == 1) {
    schema.update(maker.Object(*forms.front()));
  } else {
    for (const SharedShape& form : forms) schema["anyOf"].push_back(maker.Object(*form));
  }
  for (const auto& [name, definition] : maker.definitions()) schema["$defs"][name] = definition;
  return schema.dump(2) + "\n";
}

}  // namespace hindsight::analyzer
