// Finds a runtime's socket: `<TMPDIR>/dotnet-diagnostic-<pid>-<key>-socket`, all as the process
// itself sees it. The key is its start time, so a socket left by a previous process with the same
// pid is not mistaken for its own.
#pragma once

#include <string>

#include "trigger/target/process.h"

namespace hindsight::trigger {

struct DiagnosticSocket {
  UniqueFd folder;  // O_PATH
  std::string name;
  std::string path;  // as the process sees it, for messages
};

// Explains a missing socket as well as it can.
Result<DiagnosticSocket> FindDiagnosticSocket(const Process& process);

}  // namespace hindsight::trigger
