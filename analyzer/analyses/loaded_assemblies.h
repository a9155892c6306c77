// Which assemblies a program has loaded: what kind of program it is.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "analyzer/model/dictionaries.h"

namespace hindsight::analyzer {

// Any of these files: "Microsoft.Extensions.Hosting.dll".
inline bool HasLoaded(const Dictionaries& dictionaries,
                      std::initializer_list<std::string_view> files) {
  for (ModuleId id = 1; id < dictionaries.modules(); ++id) {
    const std::string_view path = dictionaries.String(dictionaries.module(id).path);
    if (std::ranges::any_of(files, [&](auto file) { return path.ends_with(file); })) return true;
  }
  return false;
}

}  // namespace hindsight::analyzer
