// Names of an enum's values, for JSON, schemas and texts: a single table.
#pragma once

#include <cstddef>
#include <string_view>

namespace hindsight::analyzer {

template <typename Enum>
struct Named {
  Enum value;
  std::string_view name;
};

// The last name of a table stands for all other values.
template <typename Enum, size_t kCount>
constexpr std::string_view NameOf(const Named<Enum> (&names)[kCount], Enum value) {
  for (const Named<Enum>& known : names) {
    if (known.value == value) return known.name;
  }
  return names[kCount - 1].name;
}

}  // namespace hindsight::analyzer
