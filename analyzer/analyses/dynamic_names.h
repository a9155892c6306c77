// Names of methods that were generated at run time.
#pragma once

#include <string>
#include <string_view>

namespace hindsight::analyzer {

// Methods that the framework compiles from expressions have names that end with a counter, which
// differs from run to run. Returns the display name without it; other names unchanged.
inline std::string WithoutDynamicNumber(std::string_view name) {
  constexpr std::string_view kDynamic = "[dynamic] lambda_method";
  return std::string(name.starts_with(kDynamic) ? kDynamic : name);
}

}  // namespace hindsight::analyzer
