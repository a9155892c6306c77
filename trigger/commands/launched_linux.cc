#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "trigger/commands/launched.h"
#include "trigger/report.h"

namespace hindsight::trigger {

const char kHowLaunched[] =
    "The command replaces the trigger: same pid, same standard streams, its own exit code.";

void SetVariable(const char* name, const std::string& value) {
  if (value.empty()) {
    unsetenv(name);
  } else {
    setenv(name, value.c_str(), 1);
  }
}

TriggerExit RunLaunched(const std::vector<std::string>& command,
                        const std::function<void(int)>& report) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  report(getpid());
  execvp(arguments[0], arguments.data());
  const int error = errno;
  return Report({error == ENOENT ? TriggerExit::kCommandNotFound : TriggerExit::kCannotRun,
                 "Cannot run " + command[0] + ": " + std::strerror(error) + '.', ""},
                false);
}

}  // namespace hindsight::trigger
