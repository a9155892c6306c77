// What an assembly's name tells.
#pragma once

#include <string_view>

namespace hindsight::analyzer::naming {

// Whether an assembly of this name comes with .NET or ASP.NET Core.
bool IsFrameworkAssembly(std::string_view name);

}  // namespace hindsight::analyzer::naming
