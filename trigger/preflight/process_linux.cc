#include <linux/capability.h>
#include <unistd.h>

#include <cstdlib>

#include "trigger/preflight/preflight.h"
#include "trigger/target/proc_linux.h"

namespace hindsight::trigger {
namespace {

// What we lack to access a process of the user `owner`, as part of a sentence: "the capabilities
// SYS_PTRACE and DAC_OVERRIDE".
std::string MissingCapabilities(uid_t owner) {
  std::string status;
  ReadProcFile("/proc/self/status", status);
  constexpr std::string_view kKey = "\nCapEff:";
  const size_t line = status.find(kKey);
  const uint64_t held = line == std::string::npos
                            ? 0
                            : std::strtoull(status.c_str() + line + kKey.size(), nullptr, 16);
  struct Needed {
    int number;
    const char* name;
    bool needed;
  };
  // For a process of another user, reading /proc is not enough: its sockets and folders belong to
  // it.
  const Needed all[] = {{CAP_SYS_PTRACE, "SYS_PTRACE", true},
                        {CAP_DAC_OVERRIDE, "DAC_OVERRIDE", owner != geteuid() || geteuid() == 0}};
  std::string missing;
  int count = 0;
  for (const Needed& capability : all) {
    if (!capability.needed || (held >> capability.number & 1) != 0) continue;
    missing += (count++ == 0 ? "" : " and ") + std::string(capability.name);
  }
  if (count == 0) return "the same namespaces and security profile as the process";
  return (count == 1 ? "the capability " : "the capabilities ") + missing;
}

}  // namespace

Check CheckProcess(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  if (process.ended()) {
    return Failure{TriggerExit::kZombie, "Process " + pid + " has exited (zombie).", ""};
  }
  if (geteuid() != 0 && geteuid() != process.uid) {
    return Failure{TriggerExit::kOtherUser,
                   "Process " + pid + " belongs to " + UserName(process.uid) + ", and you are " +
                       UserName(geteuid()) + '.',
                   "Run the trigger as that user (sudo -u " + UserName(process.uid) +
                       " hindsight-trigger ...) or as root."};
  }
  if (!process.hidden.empty()) {
    return Failure{
        TriggerExit::kProcessHidden, "/proc/" + pid + " cannot be read (" + process.hidden + ").",
        "Run the trigger as root; in a container, with " + MissingCapabilities(process.uid) + '.'};
  }
  if (process.stopped()) {
    return Failure{TriggerExit::kStopped,
                   "Process " + pid + " is stopped (state " + process.state +
                       "), so its runtime cannot answer.",
                   "Resume it: kill -CONT " + pid + ", or continue it in the debugger."};
  }
  return std::nullopt;
}

}  // namespace hindsight::trigger
