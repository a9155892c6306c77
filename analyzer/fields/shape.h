// A described object without its C++ type: names, meanings, possible values, and how to write them.
// Made by fields.h; JSON Schema is generated from it (json_schema.h).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/fields/text_column.h"
#include "analyzer/fields/value_writer.h"

namespace hindsight::analyzer {

struct ObjectShape;

// The values of a field.
struct Shape {
  enum class Type { kBoolean, kInteger, kNumber, kText, kAny, kObject, kList, kMap };
  Type type = Type::kText;
  bool is_nullable = false;
  bool is_optional = false;                   // the key may be missing
  std::vector<std::string> texts;             // kText: all possible ones; empty: any
  std::shared_ptr<const ObjectShape> object;  // kObject
  std::shared_ptr<const Shape> element;       // kList, kMap
};

struct FieldShape {
  std::string name;
  std::string_view meaning;
  Shape shape;
  // Writes its value, or nothing if the key is missing. `row` and `in` have the types in the
  // object's declaration.
  std::function<void(const void* row, const void* in, ValueWriter& out)> write;
  std::string_view title;  // of its column in a text report's table; empty: it has none
};

struct ObjectShape {
  std::string_view name;     // among the definitions of a schema; empty: inlined
  std::string_view meaning;  // of the definition
  std::vector<FieldShape> fields;
  std::vector<ColumnShape> columns;  // of a text report's table
};

using SharedShape = std::shared_ptr<const ObjectShape>;

void WriteObject(const ObjectShape& object, const void* row, const void* in, ValueWriter& out);

}  // namespace hindsight::analyzer
