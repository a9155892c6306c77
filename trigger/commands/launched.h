// Runs a command in place of the trigger.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trigger/exit_code.h"

namespace hindsight::trigger {

// What that means, for the help text.
extern const char kHowLaunched[];

// A variable of the command's environment; empty: it is removed.
void SetVariable(const char* name, const std::string& value);

// `report` is called with the command's pid, before it runs. Returns its exit code, if it ran next
// to the trigger, or reports why it cannot run.
TriggerExit RunLaunched(const std::vector<std::string>& command,
                        const std::function<void(int)>& report);

}  // namespace hindsight::trigger
