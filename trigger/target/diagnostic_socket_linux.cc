#include <fcntl.h>

#include <string_view>

#include "recorder/contract/control.h"
#include "trigger/folder.h"
#include "trigger/target/diagnostic_socket.h"
#include "trigger/target/walk.h"

namespace hindsight::trigger {
namespace {

Failure Missing(const Process& process, const std::string& folder, bool read_only = false) {
  const std::string pid = std::to_string(process.pid);
  if (const std::string variable = DisablingVariable(process); !variable.empty()) {
    return {TriggerExit::kDiagnosticsOff,
            "Process " + pid + " runs with " + variable + ", so it opens no diagnostics socket.",
            "Start it without that variable, or record it from the start: hindsight-trigger launch "
            "-- COMMAND."};
  }
  if (process.runtime_path.empty()) {
    return {
        TriggerExit::kNotDotnet,
        "Process " + pid + " does not run .NET: it has no libcoreclr.so and no diagnostics socket.",
        "hindsight-trigger list shows the processes that do."};
  }
  if (read_only) {
    return {TriggerExit::kNoDiagnosticSocket,
            "Process " + pid + " runs .NET, but has no diagnostics socket: " + folder +
                " is mounted read-only there.",
            "Mount a writable folder at " + folder +
                ", or set its TMPDIR; or record it from the start, with the environment."};
  }
  std::string next =
      "It may still be starting, a cleaner of temporary files may have removed the socket, or "
      "runtimeconfig.json disables diagnostics. If the process changed TMPDIR after it started, "
      "the socket is in the old folder.";
  return {TriggerExit::kNoDiagnosticSocket,
          "Process " + pid + " runs .NET, but has no socket " + folder + "/dotnet-diagnostic-" +
              std::to_string(process.inner_pid) + "-*.",
          std::move(next)};
}

}  // namespace

Expected<DiagnosticSocket> FindDiagnosticSocket(const Process& process) {
  const std::string folder = contract::TemporaryFolder(process.environment);
  const UniqueFd own_root(process.root ? -1 : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  Walk walk = WalkFrom(process.root ? process.root.get() : own_root.get(), folder);
  if (!walk.target) return Missing(process, folder);
  const std::string prefix = "dotnet-diagnostic-" + std::to_string(process.inner_pid) + '-';
  const std::string own = prefix + std::to_string(process.start_ticks) + "-socket";
  DiagnosticSocket socket;
  const bool is_listed = ForEachName(walk.target.get(), [&](std::string_view name) {
    if (!name.starts_with(prefix) || !name.ends_with("-socket")) return true;
    // A different key is accepted only if it may be the start time as seen in another time
    // namespace.
    if (name == own || !process.runtime_path.empty()) socket.name = name;
    return name != own;
  });
  if (!is_listed) return Missing(process, folder);
  if (socket.name.empty()) return Missing(process, folder, walk.steps.back().read_only);
  socket.path = folder + '/' + socket.name;
  socket.folder = std::move(walk.target);
  return socket;
}

}  // namespace hindsight::trigger
