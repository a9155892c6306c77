// What a program's command line says, by the rules of Microsoft's C library. On Windows only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

// At most 256 arguments and 16 KiB; what is beyond is left out. The system has a function for it in
// shell32.dll, which would bring windows and graphics into a service.
std::vector<std::string> SplitCommandLine(std::wstring_view line);

}  // namespace hindsight::recorder
