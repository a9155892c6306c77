// What the JSON of exceptions and of their tree have in common: names of types and methods, and
// rows that need nothing else.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/fields/fields.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

// The context of the rows.
struct ExceptionsAnswer {
  const ExceptionReport& report;
  size_t top, messages;  // groups, and messages of each; 0: all
  const Lines* lines;    // null: no lines
  const MethodNames& names = report.names;
  const Model* model = report.model;
};

// The name of a type or method as written in C#, and as in the metadata.
struct NameRow {
  std::string_view name, raw;
};

Object<NameRow> NameFields();
Object<Place, ExceptionsAnswer> PlaceFields();
Object<FatalErrorRow, ExceptionsAnswer> FatalErrorFields();

inline NameRow MethodRowOf(const ExceptionsAnswer& in, MethodId method) {
  return {in.names.Display(method), in.names.Raw(method)};
}
inline auto MethodNameAt(auto get) {
  return [get](auto& row, auto& in) { return MethodRowOf(in, std::invoke(get, row)); };
}
inline auto TypeNameAt(auto get) {
  return [get](auto& row, auto& in) {
    const TypeId type = std::invoke(get, row);
    return NameRow{in.names.Type(type), in.names.RawType(type)};
  };
}

}  // namespace hindsight::analyzer
