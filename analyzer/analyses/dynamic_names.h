// Names of methods that were compiled at run time.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer {

// What the framework compiles from an expression ends with a number: how many it had compiled
// before, another one in each run. The display name without it; other names as they are.
inline std::string WithoutDynamicNumber(std::string_view name) {
  constexpr std::string_view kDynamic = "[dynamic] lambda_method";
  return std::string(name.starts_with(kDynamic) ? kDynamic : name);
}

}  // namespace hindsight::analyzer
