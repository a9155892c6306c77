// Finds a runtime's socket. On Linux `<TMPDIR>/dotnet-diagnostic-<pid>-<key>-socket`, all as the
// process itself sees it; the key is its start time, so a socket left by a previous process with
// the same pid is not mistaken for its own. On Windows the pipe `\\.\pipe\dotnet-diagnostic-<pid>`,
// which ends with its process.
#pragma once

#include <string>

#include "trigger/target/process.h"

namespace hindsight::trigger {

struct DiagnosticSocket {
  UniqueFd folder;  // none where sockets have names of their own
  std::string name;
  std::string path;  // as the process sees it, for messages
};

// The variable, with its value, that keeps the runtime from opening its port; empty: none.
std::string DisablingVariable(const Process& process);

// Explains a missing socket as well as it can.
Expected<DiagnosticSocket> FindDiagnosticSocket(const Process& process);

}  // namespace hindsight::trigger
