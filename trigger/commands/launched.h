// A command in the trigger's place.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trigger/exit_code.h"

namespace hindsight::trigger {

// What that means, for the help.
extern const char kHowLaunched[];

// Of the environment that the command gets; empty: it has none of this name.
void SetVariable(const char* name, const std::string& value);

// `report` is called with the command's pid, before it runs. Returns its exit code where it ran
// beside the trigger, or reports why it cannot run.
TriggerExit RunLaunched(const std::vector<std::string>& command,
                        const std::function<void(int)>& report);

}  // namespace hindsight::trigger
