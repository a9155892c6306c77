// The name of an application: in recordings, in their folders' names, and when looking for a
// process. Pure function: any thread.
#pragma once

#include <string>
#include <vector>

namespace hindsight::contract {

// The entry assembly of `dotnet [exec] [host options] App.dll ...`, else argv[0]; without folder
// and extension. Empty for an empty command line.
std::string ApplicationName(const std::vector<std::string>& command_line);

}  // namespace hindsight::contract
