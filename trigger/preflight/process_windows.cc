#include <windows.h>

#include "trigger/preflight/preflight.h"
#include "trigger/target/handle_windows.h"

namespace hindsight::trigger {

Check CheckProcess(const Process& process) {
  const std::string pid = std::to_string(process.pid);
  if (process.ended()) return Failure{TriggerExit::kZombie, "Process " + pid + " has exited.", ""};
  const UniqueHandle handle =
      Owned(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(process.pid)));
  const std::string user = handle ? UserIdOf(handle.get()) : std::string();
  if (!IsElevated() && user != UserIdOf(GetCurrentProcess())) {
    return Failure{TriggerExit::kOtherUser,
                   "Process " + pid + " belongs to " +
                       (user.empty() ? "another user" : UserOf(process)) + ", and you are " +
                       OwnUser() + '.',
                   "Run the trigger as that user or as administrator."};
  }
  if (!process.hidden.empty()) {
    return Failure{TriggerExit::kProcessHidden,
                   "Process " + pid + " cannot be read (" + process.hidden + ").",
                   "Run the trigger as administrator; protected processes cannot be recorded."};
  }
  return std::nullopt;
}

}  // namespace hindsight::trigger
