// Splits a program's command line by the rules of Microsoft's C library. Windows only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hindsight::recorder {

// At most 256 arguments and 16 KiB; anything beyond that is left out. The system's own function for
// this is in shell32.dll, which would load the window and graphics systems into a service.
std::vector<std::string> SplitCommandLine(std::wstring_view line);

}  // namespace hindsight::recorder
