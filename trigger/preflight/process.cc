#include <unistd.h>

#include "trigger/preflight/preflight.h"

namespace hindsight::trigger {

Check CheckProcess(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  if (process.ended()) {
    return Failure{ExitCode::kZombie,
                   "Process " + pid + " has ended; it only waits for its parent to take notice.",
                   ""};
  }
  if (geteuid() != 0 && geteuid() != process.uid) {
    return Failure{ExitCode::kOtherUser,
                   "Process " + pid + " belongs to " + UserName(process.uid) + ", and you are " +
                       UserName(geteuid()) + '.',
                   "Run the trigger as that user (sudo -u " + UserName(process.uid) +
                       " hindsight-trigger ...) or as root."};
  }
  if (!process.hidden.empty()) {
    return Failure{ExitCode::kProcessHidden,
                   "/proc/" + pid + " can't be read (" + process.hidden + ").",
                   "Run the trigger as root; in a container, with the capability SYS_PTRACE."};
  }
  if (process.stopped()) {
    return Failure{ExitCode::kStopped,
                   "Process " + pid + " is stopped (state " + process.state +
                       "), so its runtime can't answer.",
                   "Let it go on: kill -CONT " + pid + ", or continue it in the debugger."};
  }
  return std::nullopt;
}

}  // namespace hindsight::trigger
