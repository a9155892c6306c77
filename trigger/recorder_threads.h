// Whether a recorder is in a process, as seen from outside.
#pragma once

#include <set>
#include <string>

#include "trigger/result.h"
#include "trigger/target/process.h"

namespace hindsight::trigger {

// Ids of the process's threads that belong to a recorder.
std::set<std::string> RecorderThreads(const Process& process);

// The failure when they have appeared and gone, and the recorder could not be asked.
Failure RecorderLeft(const Process& process);

}  // namespace hindsight::trigger
