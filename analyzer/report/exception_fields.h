// What the JSON of exceptions and of their tree share: names of types and methods. Besides, rows
// that need no more than that.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "analyzer/analyses/exceptions.h"
#include "analyzer/fields/fields.h"
#include "analyzer/symbols/lines.h"

namespace hindsight::analyzer {

// What the rows belong to.
struct ExceptionsAnswer {
  const ExceptionReport& report;
  size_t top, messages;  // groups, and messages of each; 0: all
  const Lines* lines;    // null: without
  const MethodNames& names = report.names;
  const Model* model = report.model;
};

// A type or a method by its name as C# writes it, and as in the metadata.
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
