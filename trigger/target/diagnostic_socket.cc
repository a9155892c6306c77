#include "trigger/target/diagnostic_socket.h"

#include <cstdlib>
#include <string_view>

namespace hindsight::trigger {

// COMPlus_ is the older prefix.
std::string DisablingVariable(const Process& process) {
  for (const std::string prefix : {"DOTNET_", "COMPlus_"}) {
    for (const std::string name : {"EnableDiagnostics", "EnableDiagnostics_IPC"}) {
      const std::string_view value = process.Environment(prefix + name);
      // The runtime parses hexadecimal; any zero disables it.
      if (!value.empty() && std::strtoul(std::string(value).c_str(), nullptr, 16) == 0) {
        return prefix + name + '=' + std::string(value);
      }
    }
  }
  return {};
}

}  // namespace hindsight::trigger
