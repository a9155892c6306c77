#include "analyzer/naming/assembly_names.h"

#include <algorithm>
#include <iterator>

#include "analyzer/base/prefixes.h"

namespace hindsight::analyzer::naming {

bool IsFrameworkAssembly(std::string_view name) {
  constexpr std::string_view kNames[] = {"System",
                                         "mscorlib",
                                         "netstandard",
                                         "WindowsBase",
                                         "Microsoft.CSharp",
                                         "Microsoft.VisualBasic",
                                         "Microsoft.VisualBasic.Core",
                                         "Microsoft.JSInterop",
                                         "Microsoft.Net.Http.Headers"};
  constexpr std::string_view kPrefixes[] = {"System.", "Microsoft.AspNetCore.",
                                            "Microsoft.Extensions.", "Microsoft.Win32."};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         StartsWithAny(name, kPrefixes);
}

}  // namespace hindsight::analyzer::naming
