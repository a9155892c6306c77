#include "analyzer/fields/shape.h"

namespace hindsight::analyzer {

void WriteObject(const ObjectShape& object, const void* row, const void* in, ValueWriter& out) {
  out.BeginObject();
  for (const FieldShape& field : object.fields) {
    out.Key(field.name);
    field.write(row, in, out);
  }
  out.EndObject();
}

}  // namespace hindsight::analyzer
