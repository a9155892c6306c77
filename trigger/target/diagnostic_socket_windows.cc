#include <windows.h>

#include "analyzer/cli/wide_text_windows.h"
#include "trigger/target/diagnostic_socket.h"

namespace hindsight::trigger {
namespace {

// Whether any process serves a pipe of this name. The check uses up none of its connections.
bool IsServed(const std::string& pipe) {
  constexpr DWORD kAtOnceMs = 1;
  return WaitNamedPipeW(cli::Utf16(pipe).c_str(), kAtOnceMs) || GetLastError() == ERROR_SEM_TIMEOUT;
}

}  // namespace

Expected<DiagnosticSocket> FindDiagnosticSocket(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  DiagnosticSocket socket;
  socket.name = socket.path = "\\\\.\\pipe\\dotnet-diagnostic-" + pid;
  if (IsServed(socket.name)) return socket;
  if (const std::string variable = DisablingVariable(process); !variable.empty()) {
    return Failure{
        TriggerExit::kDiagnosticsOff,
        "Process " + pid + " runs with " + variable + ", so it opens no diagnostics pipe.",
        "Start it without that variable, or record it from the start: hindsight-trigger launch "
        "-- COMMAND."};
  }
  if (process.runtime_path.empty()) {
    return Failure{
        TriggerExit::kNotDotnet,
        "Process " + pid + " does not run .NET: it has no coreclr.dll and no diagnostics pipe.",
        "hindsight-trigger list shows the processes that do."};
  }
  return Failure{TriggerExit::kNoDiagnosticSocket,
                 "Process " + pid + " runs .NET, but has no pipe " + socket.path + ".",
                 "It may still be starting, or runtimeconfig.json disables diagnostics."};
}

}  // namespace hindsight::trigger
