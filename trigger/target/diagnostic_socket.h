// Where a runtime listens: `<TMPDIR>/dotnet-diagnostic-<pid>-<key>-socket`, all as the process
// itself sees it. The key is its start time, so a socket left behind by a former owner of the pid
// is not mistaken for this one's.
#pragma once

#include <string>

#include "trigger/target/process.h"

namespace hindsight::trigger {

struct DiagnosticSocket {
  UniqueFd folder;  // O_PATH
  std::string name;
  std::string path;  // as the process sees it, for sentences
};

// Explains a missing socket as well as it can.
Result<DiagnosticSocket> FindDiagnosticSocket(const Process& process);

}  // namespace hindsight::trigger
